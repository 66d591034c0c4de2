import type { Operation } from '#domain';
import { groupOf } from '#domain';

import type { AskedEffect } from '../history/lane-history.js';
import type { ProgramPolicy } from '../history/run-history.js';

/** How an unknown outcome of an intent may be resolved (design.md section 6), as the checker reads that section. */
export type WayOut = 'look-up' | 'resend-unique' | 'resend' | 'probe-points' | 'probe-content' | 'park';

export function wayOut(operation: Operation, asks: AskedEffect | null, policy: ProgramPolicy): WayOut {
  if (asks === null) return 'park';
  if (operation === 'transaction' && asks.isEnforced && asks.key !== null) return 'resend-unique';
  const chosen = policy.onUnknown[groupOf(operation)];
  if (chosen !== 'probe') return chosen;
  switch (groupOf(operation)) {
    case 'issue':
      return 'look-up';
    case 'update':
      return 'probe-content';
    case 'transaction':
    case 'reward':
      return (asks.pointsDelta ?? 0) === 0 ? 'park' : 'probe-points';
    case 'schedule-update':
      return 'park';
  }
}

/** Whether the partner, as it is configured, takes it once however often it is sent. */
export function isTakenOnce(operation: Operation, asks: AskedEffect | null): boolean {
  return groupOf(operation) === 'issue' || (asks !== null && asks.isEnforced && asks.key !== null);
}
