import type { KnownIdentity } from '#domain';
import type { SqlSession } from '#platform';

import type { KnownMembers } from './batch-identity.js';
import type { RecordResult } from './batch-to-record.js';
import type { Member } from './find-members.js';
import { memberKey } from './find-members.js';
import type { JudgedRecord } from './judge-records.js';
import { isChangedEnrolment } from './judge-records.js';
import type { MemberBook } from './member-book.js';
import { moveEnrolments } from './move-enrolments.js';

/** What is known, where members who enrolled again are known by what they said last, not by what they said first. */
export function withLastEnrolments(
  known: ReadonlyMap<string, KnownIdentity>,
  members: KnownMembers,
): ReadonlyMap<string, KnownIdentity> {
  const said = [...members.values()].flatMap(({ enrolment }): [string, KnownIdentity][] => {
    if (enrolment === null) return [];
    const key = enrolment.key.toString('hex');
    const first = known.get(key);
    // Unknown: it was of an earlier generation.
    return first === undefined ? [] : [[key, { ...first, contentMac: enrolment.contentMac.toString('hex') }]];
  });
  return said.length === 0 ? known : new Map([...known, ...said]);
}

function enrolledAnew({ record, identity }: JudgedRecord, members: KnownMembers): Member[] {
  if (identity === null || record.verdict.kind !== 'routed') return [];
  const [intent] = record.verdict.intents;
  const { businessKey: key, businessMac: contentMac } = identity;
  const member = intent === undefined ? undefined : members.get(memberKey(intent));
  if (member === undefined || key === null || contentMac === null) return [];
  return [{ ...member, enrolment: { key, contentMac } }];
}

/** Has the members who enrolled again with other content known by that, where it was taken: `results[i]` is of `judged[i]`. */
export async function followEnrolments(
  session: SqlSession,
  { judged, results }: { readonly judged: readonly JudgedRecord[]; readonly results: readonly RecordResult[] },
  members: MemberBook,
): Promise<void> {
  const taken = judged.filter((item, index) => isChangedEnrolment(item) && results[index]?.kind === 'recorded');
  const moved = taken.flatMap((item) => enrolledAnew(item, members.all));
  // One who enrolled again twice in a batch said the last: an UPDATE that finds two rows for one takes any of them.
  const last = new Map(moved.map((member) => [member.laneId, member]));
  for (const member of last.values()) members.changed(member);
  await moveEnrolments(
    session,
    [...last.values()].flatMap(({ laneId, enrolment }) => (enrolment === null ? [] : [{ laneId, enrolment }])),
  );
}
