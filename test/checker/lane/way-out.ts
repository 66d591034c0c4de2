import type { Operation, OperationGroup } from '#intents/core';
import { groupOf } from '#intents/core';

import type { AskedEffect, IntentRow, ProgramPolicy } from '../history.js';
import type { IntentState } from './intent-state.js';
import { isForPerson } from './intent-state.js';

/** How an unknown outcome of an intent may be resolved (design.md section 6), as the checker reads that section. */
export type WayOut = 'look-up' | 'resend-unique' | 'resend' | 'probe-points' | 'probe-content' | 'park';

export function wayOut(operation: Operation, asks: AskedEffect | null, policy: ProgramPolicy): WayOut {
  if (asks === null) return 'park';
  if (operation === 'transaction' && asks.isEnforced && asks.key !== null) return 'resend-unique';
  const group = groupOf(operation);
  const chosen = policy.onUnknown[group];
  return chosen === 'probe' ? probes[group](asks) : chosen;
}

const pointsOrPark = ({ pointsDelta }: AskedEffect): WayOut => ((pointsDelta ?? 0) === 0 ? 'park' : 'probe-points');

const probes: Readonly<Record<OperationGroup, (asks: AskedEffect) => WayOut>> = {
  issue: () => 'look-up',
  update: () => 'probe-content',
  transaction: pointsOrPark,
  reward: pointsOrPark,
  'schedule-update': () => 'park',
};

/**
 * The way that is left where the intent stands so: what the partner may do twice when it is sent twice, and would cost
 * somebody money, is not sent again by policy once a success that proved nothing was among its answers. What was voided is
 * not sent again by any.
 */
export function wayLeft(
  { operation, asks }: Pick<IntentRow, 'operation' | 'asks'>,
  policy: ProgramPolicy,
  state: IntentState,
): WayOut {
  const { doubts, unproven, isVoided } = state;
  const way = wayOut(operation, asks, policy);
  if (isForPerson(state)) return 'park';
  if (isVoided && (way === 'resend' || way === 'resend-unique')) return 'park';
  const group = groupOf(operation);
  const isHeldBack = way === 'resend' && (group === 'transaction' || group === 'reward');
  return isHeldBack && doubts.some((doubt) => unproven.includes(doubt)) ? 'park' : way;
}

/** Whether the partner, as it is configured, takes it once however often it is sent. */
export function isTakenOnce(operation: Operation, asks: AskedEffect | null): boolean {
  return groupOf(operation) === 'issue' || (asks !== null && asks.isEnforced && asks.key !== null);
}
