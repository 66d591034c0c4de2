import type { RebuiltLane } from '#domain';
import { evolve, initialIntentState } from '#domain';

import { toEvent } from '../events/stored-event.js';
import type { FactRow } from '../rebuild/load-facts.js';

/** An intent that may leave the truth, with all its facts. */
export interface LeavingIntent {
  readonly seq: number;
  readonly operation: string;
  readonly isCancelled: boolean;
  readonly facts: number;
  readonly firstPosition: number;
  readonly lastPosition: number;
}

export interface LeavingLimits {
  /** Epoch ms: nothing happened to it since. */
  readonly before: number;
  /** Everybody who follows the events has read up to here. */
  readonly upTo: number;
  /** Asked for still: by an open replay, a refund that waits; an opt-out. */
  readonly wanted: ReadonlySet<number>;
}

/** Of one lane at once: what leaves, leaves in one transaction. */
export const leavingPerLaneMax = 2_000;

/** Facts of the lane itself, such as an adopted pass. */
const laneSeq = 0;

/**
 * Which intents of a lane may leave: delivered or cancelled for long enough, behind where the lane stands. The last
 * enrolment stays, and whatever tells of the member's pass: they are asked for as long as there is the member.
 * @param rows of the lane, in version order
 */
export function leavingIntents(
  rows: readonly FactRow[],
  { cursor, issueSeq }: RebuiltLane,
  { before, upTo, wanted }: LeavingLimits,
): LeavingIntent[] {
  const stays = new Set([laneSeq, cursor.current, issueSeq, ...cursor.redo, ...wanted]);
  return [...Map.groupBy(rows, ({ seq }) => seq)]
    .filter(([seq]) => seq < cursor.head && !stays.has(seq))
    .map(([seq, facts]) => leaving(seq, facts))
    .filter((intent) => intent !== null)
    .filter(({ lastAt, lastPosition }) => lastAt < before && lastPosition <= upTo)
    .slice(0, leavingPerLaneMax)
    .map(({ lastAt: _lastAt, ...intent }) => intent);
}

function leaving(seq: number, facts: readonly FactRow[]): (LeavingIntent & { readonly lastAt: number }) | null {
  const operation = facts[0]?.operation ?? null;
  if (operation === null || facts.some(({ type }) => type === 'PassFound')) return null;
  const { status } = facts.reduce((state, row) => evolve(state, toEvent(row)), initialIntentState);
  if (status !== 'delivered' && status !== 'cancelled') return null;
  const positions = facts.map(({ pos }) => pos);
  return {
    seq,
    operation,
    isCancelled: status === 'cancelled',
    facts: facts.length,
    firstPosition: Math.min(...positions),
    lastPosition: Math.max(...positions),
    lastAt: Math.max(...facts.map(({ at }) => at)),
  };
}
