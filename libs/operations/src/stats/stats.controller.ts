import { Get, Inject } from '@nestjs/common';

import type { StatsView } from '#contracts';
import { INTENT_STATUSES } from '#contracts';
import type { ListedProcess, RecoveryStatus } from '#intents';

import { ApiController } from '../access/access.guard.js';
import { toPauseView } from '../pauses/pauses.controller.js';
import type { Replay } from '../replays/replay-store.js';
import { isoTime } from '../requests/read-request.js';
import type { Overview } from './overview.js';
import type { Stats } from './stats-service.js';
import { StatsService } from './stats-service.js';

/** How things stand, at a glance. */
@ApiController('stats')
export class StatsController {
  constructor(@Inject(StatsService) private readonly board: StatsService) {}

  @Get()
  async show(): Promise<StatsView> {
    return toStatsView(await this.board.current());
  }
}

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

function toRecovery({ open, undecided, ...times }: RecoveryStatus): NonNullable<StatsView['recovery']> {
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

/** Every status of every program and operation that ever had an intent, also those that have none now. */
export function countsByStatus({
  intents,
  delivering,
}: Pick<Overview, 'intents' | 'delivering'>): StatsView['intents'] {
  return intents.flatMap(({ program, operation, byStatus }) => {
    const held = delivering.find((count) => count.program === program && count.operation === operation)?.intents ?? 0;
    // Counted a moment later than what it is a part of.
    const underWay = Math.min(held, byStatus.pending);
    const counts = { ...byStatus, delivering: underWay, pending: byStatus.pending - underWay };
    return INTENT_STATUSES.map((status) => ({ program, operation, status, intents: counts[status] }));
  });
}
