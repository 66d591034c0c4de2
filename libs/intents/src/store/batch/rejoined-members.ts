import { decide } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers, loadIntentState } from '../lanes/locked-lane.js';
import type { SegmentTools } from './consequences.js';
import type { Member } from './members.js';
import { memberKey, raiseGeneration } from './members.js';
import type { PreparedRecord } from './recording.js';

/** Who enrols by a record, having left before that and not come back yet; null: nobody does. */
function rejoined({ verdict }: PreparedRecord, { members, profiles }: SegmentTools): Member | null {
  const intent = verdict.kind === 'routed' ? verdict.intents[0] : undefined;
  if (verdict.kind !== 'routed' || intent?.businessKey?.scope !== 'enrolment') return null;
  return profiles.comesBackBy(intent, verdict) ? (members.all.get(memberKey(intent)) ?? null) : null;
}

/**
 * Who left and comes back enrols as a new one, whatever was read meanwhile: an enrolment from before the leaving that is read after
 * it has the key of the generation that began with the leaving. The lanes are locked.
 */
export async function beginAnew(tools: SegmentTools, records: readonly PreparedRecord[]): Promise<void> {
  const { session, members, profiles, keys, context } = tools;
  if (profiles.areOrdinary) return;
  for (const record of records) {
    const member = rejoined(record, tools);
    if (member === null) continue;
    await cancelLate(session, { laneId: member.laneId, now: context.now }, keys.members);
    members.changed({ ...member, generation: await raiseGeneration(session, member.laneId) });
  }
}

const findLastEnrolmentStatement: SqlStatement = {
  name: 'find_last_enrolment',
  text: 'SELECT issue_seq AS seq FROM lane WHERE lane_id = $1 AND issue_seq IS NOT NULL',
};

/** What enrolled the member before is cancelled as far as nothing of it can have taken effect: read in time, the leaving had done so. */
async function cancelLate(
  session: SqlSession,
  { laneId, now }: { readonly laneId: number; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  const { rows } = await session.query<{ readonly seq: number }>(findLastEnrolmentStatement, [laneId]);
  for (const { seq } of rows) {
    const { state, isUntouched } = await loadIntentState(session, { laneId, seq });
    if (!isUntouched) continue;
    const decision = decide(state, { type: 'CancelIntent', at: now, by: 'source-event', reason: 'enrolled-again' });
    for (const event of decision.kind === 'events' ? decision.events : []) {
      await appendByOthers(session, { laneId, seq, event, evidence: null, settles: true }, keys);
    }
  }
}
