import type { EventPlanner, IntentState, PartnerCommand, ProfileMarks } from '#intents/core';
import { isUntouched, onTopOf, plannedAnewBy } from '#intents/core';

import type { MemberKeys, SealingPlace } from '../keys/member-keys.js';
import { openPlan, openWhole } from '../keys/member-keys.js';

/** An event of an intent, with what it gave that for a command, sealed. */
interface Correction {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly correction: Buffer | null;
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
  const { state, isForgotten, programsHash } = stored;
  const last = stored.corrections.findLast(isPlan)?.correction ?? null;
  if (isForgotten || !isUntouched(state)) return null;
  return last === null && programsHash === planner.programsHash ? null : planOver(stored, { last, planner, keys });
}

/**
 * Whether an intent without a call waits for the programs file to map one. What is of a merge, or of a card that is gone, waits for a
 * person.
 */
export function waitsForMapping(state: IntentState): boolean {
  return state.status === 'parked' && state.attempts === 0 && !['merged', 'card-replaced'].includes(state.reason);
}

/** @param last the newest plan since the recording, sealed; null: there is none */
function planOver(
  { place, payload, recordedAt, current, marks }: StoredPlan,
  { last, planner, keys }: { readonly last: Buffer | null; readonly planner: EventPlanner; readonly keys: MemberKeys },
): PlannedAnew | null {
  const { command: recorded, sourceRecord: record } = openWhole(keys, place, payload);
  const base = (last === null ? null : openPlan(keys, place, last)) ?? recorded;
  if (base === null) return null;
  // Recorded without a call it is as it was planned first.
  const plan = planner.plan({ command: recorded ?? base, record, recordedAt, marks });
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
