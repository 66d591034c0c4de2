import type { IntentEvent, Renewal } from '#intents/core';
import { decide } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';

import type { EventToAppend } from '../events/stored-event.js';
import { timestamp } from '../events/stored-event.js';
import { releaseEnrolled } from '../passes/release-missing.js';
import { recordRenewal } from '../passes/renew-pass.js';
import { listLostCard } from '../passes/replaced-card.js';
import { lockLanes } from './lane-locks.js';
import { appendByOthers, loadIntentState } from './locked-lane.js';
import type { StepKeys } from './record-steps.js';

type LateEvent = Extract<IntentEvent, { type: 'LateOutcome' }>;

/**
 * An outcome that came after its lane was taken over, or that its lane refused since others have appended what it does not
 * heed. `epoch` is the one the attempt was begun under.
 */
export interface LateOutcome extends EventToAppend {
  readonly event: LateEvent;
  readonly laneId: number;
  readonly epoch: number;
  /** The member's unwrapped key, as the lane was claimed with it. */
  readonly key: Uint8Array | null;
  /** What follows where a workflow answered with a pass that had been there. */
  readonly renewal?: Renewal | null;
  /** Of an enrolment: what was kept while its member was away is sent, too. */
  readonly sendsKept?: boolean;
}

/**
 * Appends what fenced workers learned, and what follows from it: their answer is knowledge even when the lane has gone
 * on. The revision rises, so that the new owner's next begin is refused until it has read this. Repeating is safe, also
 * at the same time: the lanes are locked before anything is looked at. Rare, so one by one.
 * @returns how many were appended
 */
export async function recordLateOutcomes(
  database: Database,
  outcomes: readonly LateOutcome[],
  keys: StepKeys,
): Promise<number> {
  const laneIds = outcomes.map((outcome) => outcome.laneId);
  return database.transaction('record_late_outcomes', async (session) => {
    await lockLanes(session, laneIds);
    let count = 0;
    for (const outcome of outcomes) if (await recordOne(session, outcome, keys)) count += 1;
    return count;
  });
}

async function recordOne(session: SqlSession, late: LateOutcome, keys: StepKeys): Promise<boolean> {
  const { event } = late;
  if (await isLateOutcomeKnown(session, { ...late, attempt: event.attempt })) return false;
  const { state } = await loadIntentState(session, late);
  const outcome = { kind: event.outcome, code: event.code };
  const decision = decide(state, { type: 'RecordLateOutcome', at: event.at, attempt: event.attempt, outcome });
  if (decision.kind === 'ignored') return false;
  for (const [index, decided] of decision.events.entries()) {
    const { laneId, seq, key, epoch, evidence } = late;
    // Only the late outcome itself belongs to the old lease; what follows from it is decided now.
    const ofLate = index === 0 ? { evidence, epoch } : { evidence: null };
    await appendByOthers(session, { laneId, seq, key, event: decided, settles: index > 0, ...ofLate }, keys.members);
  }
  const isProof = decision.events.some(({ type }) => type === 'VerifiedApplied');
  if (isProof) await followProof(session, late, keys);
  await endLease(session, late);
  return true;
}

async function followProof(session: SqlSession, late: LateOutcome, keys: StepKeys): Promise<void> {
  const { renewal, sendsKept = false, event } = late;
  const now = event.at;
  if (renewal) await recordRenewal(session, { of: late, renewal, now }, keys);
  else await listLostCard(session, { of: late, now }, keys.members);
  await releaseEnrolled(session, { place: late, now, sendsKept: () => sendsKept }, keys.members);
}

const endLeaseStatement: SqlStatement = {
  name: 'end_answered_lease',
  text: `
UPDATE lane SET due_at = LEAST(due_at, $5::timestamptz)
WHERE lane_id = $1 AND epoch = $2 AND cur_seq = $3 AND attempt = $4 AND attempt_open`,
};

/**
 * Where the attempt is still open under its own lease nothing of it is under way any more: the lease ends now, and the next
 * claim settles the intent by what it reads. The lane is locked.
 */
async function endLease(session: SqlSession, { laneId, epoch, seq, event }: LateOutcome): Promise<void> {
  await session.query(endLeaseStatement, [laneId, epoch, seq, event.attempt, timestamp(event.at)]);
}

const isLateOutcomeKnownStatement: SqlStatement = {
  name: 'is_late_outcome_known',
  text: `
SELECT 1 FROM intent_event
WHERE lane_id = $1 AND seq = $2 AND attempt = $3 AND epoch = $4 AND type = 'LateOutcome' LIMIT 1`,
};

/** Whether this late outcome has been recorded before. The lane must be locked. */
async function isLateOutcomeKnown(
  session: SqlSession,
  late: { readonly laneId: number; readonly seq: number; readonly epoch: number; readonly attempt: number },
): Promise<boolean> {
  const { laneId, seq, epoch, attempt } = late;
  return (await session.query(isLateOutcomeKnownStatement, [laneId, seq, attempt, epoch])).rowCount > 0;
}
