import type { EventPlanner, IntentState, PartnerCommand, ProfileMarks, RecordedPlan } from '#intents/core';
import { isUntouched, onTopOf, plannedAnewBy } from '#intents/core';

import { lastCorrectionIn } from '../events/stored-event.js';
import type { MemberKeys, SealingPlace } from '../keys/member-keys.js';
import { openPlan, openWhole } from '../keys/member-keys.js';
import { asChanged } from '../passes/changed-card.js';

/** An event of an intent, with what it gave that for a command, sealed. */
interface Correction {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly correction: Buffer | null;
  /** Which of the lane's events it is. */
  readonly version: number;
}

/** An intent as it is stored, and opened. */
export interface StoredPlan {
  readonly place: SealingPlace;
  readonly payload: Uint8Array;
  /** Hex, of the programs file that routed it. */
  readonly programsHash: string;
  readonly recordedAt: number;
  /** In version order. */
  readonly corrections: readonly Correction[];
  readonly state: IntentState;
  /** A lost history may have sent it. */
  readonly isForgotten: boolean;
  readonly current: PartnerCommand;
  /** Of an enrolment that another file has routed; else null. */
  readonly marks: ProfileMarks | null;
  /** How the card that it makes anew was changed before, the newest first; none where it makes a first one, or is no enrolment. */
  readonly repeated: readonly RepeatedUpdate[];
}

/** An update of a card, as it was sent or is to be, and as it would be planned now. */
export interface RepeatedUpdate {
  readonly current: PartnerCommand;
  readonly next: PartnerCommand;
}

export interface PlannedAnew {
  readonly command: PartnerCommand;
  /** JSON, to be kept sealed with what records it. */
  readonly evidence: string;
}

/**
 * What an intent sends by the programs file of now, where it never left or is proved not to be applied. What is in doubt keeps
 * what was sent: another type or value would not be refused, and it would stand twice. Null: it sends what it says.
 */
export function planStored(stored: StoredPlan, planner: EventPlanner, keys: MemberKeys): PlannedAnew | null {
  const { state, isForgotten } = stored;
  return isForgotten || !isUntouched(state) ? null : planOver(stored, planner, keys);
}

/** What an update says by the programs file of now where a new card is made as the one before it was, whatever came of it there. */
export function planRepeated(stored: StoredPlan, planner: EventPlanner, keys: MemberKeys): RepeatedUpdate {
  const { current } = stored;
  return { current, next: planOver(stored, planner, keys)?.command ?? current };
}

/** Whether it makes a card anew: what was said of the one before goes along. */
export function isReissued(events: readonly Pick<Correction, 'type'>[]): boolean {
  return events.some(({ type }) => type === 'IntentReissued');
}

/**
 * Whether an intent without a call waits for the programs file to map one. What is of a merge, or of a card that is gone, waits for a
 * person.
 */
export function waitsForMapping(state: IntentState): boolean {
  return state.status === 'parked' && state.attempts === 0 && !['merged', 'card-replaced'].includes(state.reason);
}

/** How an intent was planned last. */
interface LastPlan {
  /** As it was recorded, or where that was without a call, as it was planned first. */
  readonly first: PartnerCommand;
  /** With the updates of the card that it makes anew: what it says otherwise has become of it since. */
  readonly base: PartnerCommand;
  readonly record: RecordedPlan['record'];
}

/** Null: it has no call. */
function lastPlanOf({ place, payload, corrections, repeated }: StoredPlan, keys: MemberKeys): LastPlan | null {
  const { command: recorded, sourceRecord: record } = openWhole(keys, place, payload);
  const index = corrections.findLastIndex(isPlan);
  const plan = lastCorrectionIn(corrections.slice(0, index + 1));
  const base = (plan === null ? null : openPlan(keys, place, plan)) ?? recorded;
  if (base === null) return null;
  // What was planned since the card is made anew has the updates in it.
  const hasUpdates = index > corrections.findLastIndex(({ type }) => type === 'IntentReissued');
  const updates = hasUpdates ? [] : repeated.map(({ current }) => ({ command: current, isTaken: true }));
  return { first: recorded ?? base, base: asChanged(base, updates), record };
}

function planOver(stored: StoredPlan, planner: EventPlanner, keys: MemberKeys): PlannedAnew | null {
  const { corrections, programsHash, recordedAt, current, marks, repeated } = stored;
  const isPlannedSo = programsHash === planner.programsHash && !corrections.some(isPlan);
  if (isPlannedSo && repeated.length === 0) return null;
  const last = lastPlanOf(stored, keys);
  if (last === null) return null;
  const { first, base, record } = last;
  const own = isPlannedSo ? first : planner.plan({ command: first, record, recordedAt, marks });
  const plan = asChanged(
    own,
    repeated.map(({ next }) => ({ command: next, isTaken: true })),
  );
  const planned = onTopOf(plan, { base, current });
  return planned === null ? null : { command: planned, evidence: planEvidence(planned, plan) };
}

/** How a command was planned, and what it says with what has become of that since. */
export function planEvidence(command: PartnerCommand, plan = command): string {
  return JSON.stringify({ command, plan });
}

function isPlan({ data, correction }: Correction): boolean {
  return correction !== null && data?.['by'] === plannedAnewBy.by && data['reason'] === plannedAnewBy.reason;
}
