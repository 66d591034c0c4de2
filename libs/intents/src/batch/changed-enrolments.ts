import type { KnownIdentity } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/locked-lane.js';
import type { RecordResult } from './batch-to-record.js';
import type { JudgedRecord, KnownMembers } from './identities.js';
import { loadIntentState } from './load-intent-state.js';
import type { LastEnrolment, Member, MemberCache } from './members.js';
import { memberKey } from './members.js';
import type { CorrectionToDo } from './plan-batch.js';

/** The known identities, where a member who enrolled again is compared with the last enrolment, not with the first. */
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

export function isChangedEnrolment(judged: JudgedRecord): boolean {
  return judged.identity !== null && judged.verdict.kind === 'enrolment-changed';
}

/**
 * Marks which changed enrolments are corrections (contracts.md section 1): while nothing of the first enrolment can have
 * taken effect it is corrected, afterwards the other content is an update. The lanes are locked.
 */
export async function markCorrectable(session: SqlSession, records: readonly JudgedRecord[]): Promise<JudgedRecord[]> {
  const judged: JudgedRecord[] = [];
  for (const item of records) {
    if (item.identity === null || item.verdict.kind !== 'enrolment-changed') {
      judged.push(item);
      continue;
    }
    const { of } = item.verdict;
    judged.push({ ...item, isCorrectable: of !== null && (await loadIntentState(session, of)).isUntouched });
  }
  return judged;
}

function enrolledAnew({ record, identity }: JudgedRecord, members: KnownMembers): Member[] {
  if (identity === null || record.verdict.kind !== 'routed') return [];
  const [intent] = record.verdict.intents;
  const { businessKey: key, businessMac: contentMac } = identity;
  const member = intent === undefined ? undefined : members.get(memberKey(intent));
  if (member === undefined || key === null || contentMac === null) return [];
  return [{ ...member, enrolment: { key, contentMac } }];
}

/**
 * Stores the content of repeated enrolments that changed something and were accepted: `results[i]` belongs to
 * `judged[i]`.
 */
export async function recordLastEnrolments(
  session: SqlSession,
  { judged, results }: { readonly judged: readonly JudgedRecord[]; readonly results: readonly RecordResult[] },
  members: MemberCache,
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

const moveStatement: SqlStatement = {
  name: 'move_enrolments',
  text: `
UPDATE member m SET enrolment_key = w.key, enrolment_mac = w.mac
FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS w (lane_id, key, mac)
WHERE m.lane_id = w.lane_id`,
};

interface EnrolmentMove {
  readonly laneId: number;
  readonly enrolment: LastEnrolment;
}

/** Stores the content of repeated enrolments. Their lanes are locked: no statement waits here. */
async function moveEnrolments(session: SqlSession, moves: readonly EnrolmentMove[]): Promise<void> {
  if (moves.length === 0) return;
  await session.query(moveStatement, [
    moves.map(({ laneId }) => laneId),
    moves.map(({ enrolment }) => enrolment.key),
    moves.map(({ enrolment }) => enrolment.contentMac),
  ]);
}

/** Lets enrolments that have not been begun say what they say now. The lanes are locked. */
export async function correctEnrolments(
  session: SqlSession,
  request: {
    readonly corrections: readonly CorrectionToDo[];
    readonly members: ReadonlyMap<string, Member>;
    readonly now: number;
  },
  keys: MemberKeys,
): Promise<void> {
  for (const { of, intent } of request.corrections) {
    const event = { type: 'IntentCorrected', at: request.now, by: 'source-event', reason: 'enrolled-again' } as const;
    const evidence = JSON.stringify({ command: intent.command });
    const key = request.members.get(memberKey(intent))?.key ?? null;
    await appendByOthers(session, { ...of, key, event, evidence, settles: false }, keys);
  }
}
