import type { IdentityPlace } from '#intents/core';
import { laneDetoursMax } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { booleanArray, int8Array } from '#platform';

import { isOfWhoLeft } from '../events/left-members.js';
import { operationList } from '../events/transition-sql.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { releaseAside, releaseRest, sendAgain } from '../lanes/locked-lane.js';
import { takeOutdated } from '../operator/outdated-update.js';

/** Of each lane as many as may be put back at once, the first of them: what is more stays parked. */
const findMissedStatement: SqlStatement = {
  name: 'find_missed',
  text: `
SELECT p.lane_id AS "laneId", p.seq FROM unnest($1::bigint[], $2::boolean[]) AS w (lane_id, sends_kept)
CROSS JOIN LATERAL (
  SELECT s.lane_id, s.seq FROM intent_standing s JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id)
  WHERE s.lane_id = w.lane_id AND s.status = 'parked' AND s.seq > m.erased_seq AND NOT ${isOfWhoLeft('i', 'm')}
    AND (s.reason = 'missing-pass'
      OR w.sends_kept AND s.reason = 'not-a-member' AND i.operation IN (${operationList('uses')}))
  ORDER BY s.seq LIMIT ${laneDetoursMax}) p
ORDER BY p.lane_id, p.seq`,
};

/** A member who has got a pass. */
export interface GotPass {
  readonly laneId: number;
  /** What was kept while the member was away is sent, too. */
  readonly sendsKept: boolean;
}

/**
 * Members have got a pass: what parked for the lack of one is sent, in the order of their lanes, before what is queued; an
 * update loses what was said since. To be called in the transaction in which that becomes known. The lanes are locked.
 */
export async function releaseMissing(
  session: SqlSession,
  { members, now }: { readonly members: readonly GotPass[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  if (members.length === 0) return;
  const { rows } = await session.query<IdentityPlace>(findMissedStatement, [
    int8Array(members.map(({ laneId }) => laneId)),
    booleanArray(members.map(({ sendsKept }) => sendsKept)),
  ]);
  for (const place of rows) {
    const isSent = await sendAgain(session, { place, at: now, reason: 'pass-found' }, keys);
    if (isSent) await takeOutdated(session, { place, now }, keys);
  }
  await releaseReturned(session, { members, now }, keys);
}

/** Sales that were sent while their member was away, and for which something had stepped aside that stands so still. */
const findSoldAwayStatement: SqlStatement = {
  name: 'find_sold_while_away',
  text: `
SELECT DISTINCT k.lane_id AS "laneId", k.seq FROM unnest($1::bigint[]) AS w (lane_id)
JOIN member m ON m.lane_id = w.lane_id AND m.back_at IS NOT NULL
JOIN intent_standing s ON s.lane_id = w.lane_id AND s.status = 'parked' AND s.reason = 'missing-purchase'
JOIN intent r ON r.lane_id = s.lane_id AND r.seq = s.seq
JOIN dedup k ON k.key = r.receipt AND k.kind = 'business' AND k.lane_id = r.lane_id AND k.seq IS NOT NULL
ORDER BY 1, 2`,
};

/** Voids that wait until all else of their sales is settled, by the first of that: it may have been settled while their member was away. */
const findVoidsAwayStatement: SqlStatement = {
  name: 'find_voids_while_away',
  text: `
SELECT r.lane_id AS "laneId", min(b.seq) AS seq FROM unnest($1::bigint[]) AS w (lane_id)
JOIN member m ON m.lane_id = w.lane_id AND m.back_at IS NOT NULL
JOIN intent_standing s ON s.lane_id = w.lane_id AND s.status = 'parked' AND s.reason = 'conflict'
JOIN intent r ON r.lane_id = s.lane_id AND r.seq = s.seq AND r.event_type = 'loyalty.purchase.voided.v1'
JOIN intent b ON b.lane_id = r.lane_id AND b.receipt = r.receipt AND b.seq <> r.seq
GROUP BY r.lane_id, r.seq ORDER BY 1, 2`,
};

/** Members are back: what had stepped aside for sales goes on as far as their receipts have it, as it would have when those were sent. */
async function releaseReturned(
  session: SqlSession,
  { members, now }: { readonly members: readonly GotPass[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  const laneIds = int8Array(members.map(({ laneId }) => laneId));
  const { rows } = await session.query<IdentityPlace>(findSoldAwayStatement, [laneIds]);
  for (const place of rows) await releaseAside(session, { place, isCancelled: false, now }, keys);
  const { rows: settled } = await session.query<IdentityPlace>(findVoidsAwayStatement, [laneIds]);
  for (const place of settled) await releaseRest(session, { place, at: now }, keys);
}

const findWithPassStatement: SqlStatement = {
  name: 'find_with_pass',
  text: `
SELECT l.lane_id AS "laneId" FROM lane l LEFT JOIN intent_standing s ON s.lane_id = l.lane_id AND s.seq = l.issue_seq
WHERE l.lane_id = ANY ($1::bigint[]) AND (l.pass = 'known' OR s.status = 'delivered') ORDER BY l.lane_id`,
};

/** Members of these lanes are their own again: what could not be sent on a card that came while they lived on in others is sent. */
export async function releaseSeparated(
  session: SqlSession,
  { laneIds, now }: { readonly laneIds: readonly number[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  if (laneIds.length === 0) return;
  const { rows } = await session.query<{ readonly laneId: number }>(findWithPassStatement, [int8Array(laneIds)]);
  const members = rows.map(({ laneId }) => ({ laneId, sendsKept: false }));
  await releaseMissing(session, { members, now }, keys);
}

const makesPassStatement: SqlStatement = {
  name: 'makes_pass',
  text: `
SELECT l.program_id AS program FROM intent i JOIN lane l USING (lane_id)
WHERE i.lane_id = $1 AND i.seq = $2 AND i.operation IN (${operationList('makes')})`,
};

interface TurnedOut {
  /** What turned out to be delivered, enrolment or not. */
  readonly place: IdentityPlace;
  readonly now: number;
  /** Whether a program sends what was kept while a member was away. */
  readonly sendsKept: (program: string) => boolean;
}

/**
 * Others than the lane's owner have learned that something took effect: a late answer, or a person's word. Where it is an enrolment,
 * the member has a pass.
 */
export async function releaseEnrolled(
  session: SqlSession,
  { place: { laneId, seq }, now, sendsKept }: TurnedOut,
  keys: MemberKeys,
): Promise<void> {
  const { rows } = await session.query<{ readonly program: string }>(makesPassStatement, [laneId, seq]);
  const members = rows.map(({ program }) => ({ laneId, sendsKept: sendsKept(program) }));
  await releaseMissing(session, { members, now }, keys);
}
