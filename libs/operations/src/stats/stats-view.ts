import type { StatsView } from '#contracts';
import type { ListedProcess, RecoveryStanding, Replay } from '#intents';

import { toPauseView } from '../pauses/pause-view.js';
import { isoTime } from '../requests/iso-time.js';
import { countsByStatus } from './counts-by-status.js';
import type { Stats } from './stats-board.js';

function toOpenReplay({
  replayId: id,
  state,
  stoppedBecause,
  reason,
  createdAt,
  createdBy,
}: Replay): StatsView['replays'] {
  if (state !== 'running' && state !== 'paused' && state !== 'stopped') return [];
  return [{ id, state, stoppedBecause, reason, createdAt: isoTime(createdAt), createdBy }];
}

function toProcess(process: ListedProcess, ownId: string): StatsView['processes'][number] {
  const { processId: id, host, roles, programs, startedAt, heartbeatAt } = process;
  return {
    ...{ id, host, roles: [...roles], programs: programs.hash },
    ...{ startedAt: isoTime(startedAt), seenAt: isoTime(heartbeatAt), isSelf: id === ownId },
  };
}

function toRecovery({ open, undecided, ...times }: RecoveryStanding): NonNullable<StatsView['recovery']> {
  const { recoveredFrom, startedAt, producedUntil } = times;
  return {
    ...{ recoveredFrom: isoTime(recoveredFrom), startedAt: isoTime(startedAt), producedUntil: isoTime(producedUntil) },
    ...{ open, undecided },
  };
}

/** As the API tells it. */
export function toStatsView({ overview, rates, self }: Stats): StatsView {
  const { at, oldestPending, blockedLanes, quarantine, valueAtRisk, pauses, replays, processes } = overview;
  const { recovery, uncountedSince } = overview;
  const secondsSince = (time: number): number => Math.max(0, at - time) / 1_000;
  return {
    at: isoTime(at),
    intents: countsByStatus(overview).filter(({ intents }) => intents > 0),
    oldestPending: oldestPending.map(({ program, recordedAt, isPart }) => ({
      ...{ program, isPart },
      ...{ since: isoTime(recordedAt), seconds: secondsSince(recordedAt) },
    })),
    rates: rates.map((rate) => ({ ...rate })),
    blockedLanes: [...blockedLanes],
    quarantine: [...quarantine],
    valueAtRisk: [...valueAtRisk],
    pauses: pauses.map(toPauseView),
    replays: replays.flatMap(toOpenReplay),
    processes: processes.map((process) => toProcess(process, self.processId)),
    partner: [...self.gates()].map(([program, { limit, breaker }]) => ({ program, limit, breaker })),
    recovery: recovery === null ? null : toRecovery(recovery),
    countedUntil: { lagSeconds: uncountedSince === null ? 0 : secondsSince(uncountedSince) },
  };
}
