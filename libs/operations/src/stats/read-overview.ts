import type {
  ListedProcess,
  BlockedCount,
  DeliveringCount,
  IntentCount,
  OldestPending,
  Pause,
  QuarantineReasonCount,
  RecoveryStanding,
  Replay,
  ValueAtRisk,
} from '#intents';
import {
  countBlockedLanes,
  countDelivering,
  countIntents,
  countQuarantineReasons,
  findOldestPending,
  findRecovery,
  findTallyLag,
  listOpenReplays,
  listPauses,
  listProcesses,
  sumValueAtRisk,
} from '#intents';
import type { Clock, Database } from '#platform';

/** How things stand, as the database tells it. Times in epoch ms. */
export interface Overview {
  readonly at: number;
  readonly intents: readonly IntentCount[];
  readonly delivering: readonly DeliveringCount[];
  readonly oldestPending: readonly OldestPending[];
  readonly blockedLanes: readonly BlockedCount[];
  readonly quarantine: readonly QuarantineReasonCount[];
  readonly valueAtRisk: readonly ValueAtRisk[];
  readonly pauses: readonly Pause[];
  /** Those that run, or would go on if somebody let them. */
  readonly replays: readonly Replay[];
  readonly processes: readonly ListedProcess[];
  /** The last restore that we were told of; null: none. */
  readonly recovery: RecoveryStanding | null;
  /** The first event that is not counted yet; null: all are. */
  readonly uncountedSince: number | null;
}

/** Reads everything, one after the other: whoever only looks takes one connection. @throws {DatabaseError} */
export async function readOverview(database: Database, clock: Pick<Clock, 'now'>): Promise<Overview> {
  const at = clock.now();
  return {
    at,
    intents: await countIntents(database),
    delivering: await countDelivering(database, at),
    oldestPending: await findOldestPending(database),
    blockedLanes: await countBlockedLanes(database),
    quarantine: await countQuarantineReasons(database),
    valueAtRisk: await sumValueAtRisk(database),
    pauses: await listPauses(database),
    replays: await listOpenReplays(database),
    processes: (await listProcesses(database, at)).filter(({ isAlive }) => isAlive),
    recovery: await findRecovery(database),
    uncountedSince: await findTallyLag(database),
  };
}
