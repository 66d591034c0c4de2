import type { StatsView } from '#contracts';
import { INTENT_STATUSES } from '#contracts';
import type { ListedProcess, RecoveryStatus } from '#intents';

import type { ProgramLimit } from '../access/operator.js';
import { maySee } from '../access/operator.js';
import { shownPauses } from '../pauses/pause-service.js';
import { mayKnowJob } from '../jobs/job-order.js';
import type { Job } from '../jobs/job-repository.js';
import { isoTime } from '../requests/read-request.js';
import type { Overview } from './overview.js';
import { reportedFigures } from './reported-figures.js';
import type { Stats } from './stats-service.js';

function toOpenJob({ jobId: id, kind, state, error, reason, createdAt, createdBy }: Job): StatsView['jobs'] {
  if (state === 'planned' || state === 'done' || state === 'failed' || state === 'cancelled') return [];
  return [{ id, kind, state, error, reason, createdAt: isoTime(createdAt), createdBy }];
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

/** What of the overview is of no program: only an operator of all programs sees it. */
function wholeOf({ overview, self }: Stats): Pick<StatsView, 'quarantine' | 'processes' | 'recovery'> {
  const { quarantine, processes, recovery } = overview;
  return {
    quarantine: [...quarantine],
    processes: processes.map((process) => toProcess(process, self.processId)),
    recovery: recovery === null ? null : toRecovery(recovery),
  };
}

/** The part of it that an operator of these programs sees. */
export function toStatsView(stats: Stats, limit: ProgramLimit): StatsView {
  const { overview, rates } = stats;
  const { at, oldestPending, blockedLanes, valueAtRisk, pauses, jobs, uncountedSince } = overview;
  const secondsSince = (time: number): number => Math.max(0, at - time) / 1_000;
  const isShown = ({ program }: { readonly program: string }): boolean => maySee(limit, program);
  const reported = reportedFigures(overview.processes, at);
  return {
    at: isoTime(at),
    intents: countsByStatus(overview).filter((count) => count.intents > 0 && isShown(count)),
    oldestPending: oldestPending.filter(isShown).map(({ program, recordedAt, isPart }) => ({
      ...{ program, isPart },
      ...{ since: isoTime(recordedAt), seconds: secondsSince(recordedAt) },
    })),
    rates: rates.filter(isShown),
    blockedLanes: blockedLanes.filter(isShown),
    valueAtRisk: valueAtRisk.filter(isShown),
    pauses: shownPauses(pauses, limit),
    jobs: jobs.filter((job) => mayKnowJob(job, limit)).flatMap(toOpenJob),
    partner: reported.partner.filter(isShown),
    figures: reported.figures,
    countedUntil: { lagSeconds: uncountedSince === null ? 0 : secondsSince(uncountedSince) },
    ...(limit === null
      ? { ...wholeOf(stats), lag: reported.lag }
      : { quarantine: [], processes: [], recovery: null, lag: null }),
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
