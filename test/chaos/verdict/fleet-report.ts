import type { ProcessEnd } from '#test-support';

import type { DaemonSlot, LifeRecord } from '../installation/daemon-slot.js';

/** How the daemons lived and died. */
export interface FleetReport {
  /** Processes that became ready. */
  readonly lives: number;
  /** Nobody had told them to end. */
  readonly diedByThemselves: readonly LifeRecord[];
  /** Starts that failed, most often because Postgres was away. */
  readonly startsFailed: number;
  /** Why the first few did. */
  readonly startFailures: readonly string[];
  /** How the last ones ended when they were told to, after everything was healed. */
  readonly ends: readonly (ProcessEnd | null)[];
}

const startFailuresShown = 3;

export function fleetReport(slots: readonly DaemonSlot[], ends: FleetReport['ends']): FleetReport {
  const lives = slots.flatMap((slot) => slot.lives);
  const failures = slots.flatMap(({ startFailures }) => startFailures);
  return {
    lives: lives.length,
    diedByThemselves: lives.filter(({ isWanted }) => !isWanted),
    startsFailed: failures.length,
    startFailures: failures.slice(0, startFailuresShown),
    ends,
  };
}
