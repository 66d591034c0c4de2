import type { StatsView } from '#contracts';
import type { ListedProcess, PartnerFigures, TopicLag } from '#intents';
import { countCalls, lagOf, latencyOf, partnersOf, resting, sumLag, sumPartner } from '#intents';

import { isoTime } from '../requests/read-request.js';

const secondMs = 1_000;
const secondsSince = (at: number | null, now: number): number | null =>
  at === null ? null : Math.max(0, now - at) / secondMs;
const timeOf = (at: number | null): string | null => (at === null ? null : isoTime(at));

function toPartner(program: string, all: readonly PartnerFigures[]): StatsView['partner'][number] {
  const { calls, limit, inUse, breaker, since, cooldownUntil } = sumPartner(all);
  return {
    ...{ program, limit, inUse, breaker, since: timeOf(since), cooldownUntil: timeOf(cooldownUntil) },
    ...{ processes: all.length, resting: resting(all).length },
    ...{ calls: countCalls(calls), latencyMs: latencyOf(calls) },
  };
}

function toLag(figures: Parameters<typeof lagOf>[0], now: number): StatsView['lag'] {
  const byTopic = lagOf(figures);
  // How far Kafka is ahead is known only of partitions that a process reads.
  if (byTopic === null || Object.keys(byTopic).length === 0) return null;
  const shown = ({
    records,
    oldestAt,
  }: TopicLag): Pick<NonNullable<StatsView['lag']>, 'records' | 'oldestSeconds'> => ({
    records,
    oldestSeconds: secondsSince(oldestAt, now),
  });
  const topics = Object.entries(byTopic).map(([topic, lag]) => ({ topic, ...shown(lag) }));
  return { ...shown(sumLag(Object.values(byTopic))), topics };
}

/** A process that ended within this time may have left partitions that no other one has taken over yet. */
const takenOverMs = 60_000;
const readerRole = 'ingest';

/** How far Kafka was ahead. */
export interface MomentLag {
  readonly records: number;
  /** So old at most; null: not known. */
  readonly seconds: number | null;
}

/**
 * How far Kafka is ahead of all who take in; null: one of them does not know, or went without a word, or nobody does: a part
 * of them would tell less than there is.
 * @param now epoch ms
 */
export function lagOfAll(processes: readonly ListedProcess[], now: number): MomentLag | null {
  const readers = processes.filter(
    ({ roles, heartbeatAt }) => roles.includes(readerRole) && now - heartbeatAt <= takenOverMs,
  );
  if (readers.some(({ isAlive, figures }) => !isAlive || (figures?.lag ?? null) === null)) return null;
  const lag = toLag(
    readers.flatMap(({ figures }) => figures ?? []),
    now,
  );
  if (lag === null) return null;
  const { records, oldestSeconds } = lag;
  if (records === 0) return { records, seconds: 0 };
  return { records, seconds: oldestSeconds === null ? null : Math.ceil(oldestSeconds) };
}

/**
 * What the processes that are alive know of their own work, of all of them together.
 * @param now epoch ms
 */
export function reportedFigures(
  processes: readonly ListedProcess[],
  now: number,
): Pick<StatsView, 'partner' | 'lag' | 'figures'> {
  const told = processes.filter(({ figures }) => figures !== null);
  const figures = told.flatMap((process) => process.figures ?? []);
  const oldestAt = told.length === 0 ? null : Math.min(...told.map(({ heartbeatAt }) => heartbeatAt));
  return {
    partner: [...partnersOf(figures)].map(([program, all]) => toPartner(program, all)),
    lag: toLag(figures, now),
    figures: {
      processes: told.length,
      silent: processes.length - told.length,
      ageSeconds: secondsSince(oldestAt, now),
    },
  };
}
