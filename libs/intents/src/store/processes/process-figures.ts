import type { CallCounts } from './call-counts.js';
import { sumCalls } from './call-counts.js';

/** The stages of a circuit breaker, the worst last. `trying` and `probing` are what others call half-open. */
const breakerStages = ['closed', 'trying', 'probing', 'open'] as const;

/** How one process or all of them do with the partner, for one program. Times in epoch ms. */
export interface PartnerFigures {
  /** Of the last minute. */
  readonly calls: CallCounts;
  /** Calls that may be under way at once, without lookups. */
  readonly limit: number;
  /** Calls under way, without lookups. */
  readonly inUse: number;
  readonly breaker: (typeof breakerStages)[number];
  /** Since when the breaker has not been closed; null: it is. */
  readonly since: number | null;
  /** When it was opened last; null: it is closed. */
  readonly openedAt: number | null;
  /** When the partner last did its work; null: it was not asked yet. */
  readonly reachedAt: number | null;
  /** The partner asked for a rest until then (Retry-After); null: it did not. */
  readonly cooldownUntil: number | null;
}

/** What Kafka holds of a topic that was not taken in yet. */
export interface TopicLag {
  readonly records: number;
  /** The oldest of them was produced then or later, epoch ms; null: nothing is behind, or it is not known. */
  readonly oldestAt: number | null;
}

/** What a process knows of its own work; it tells the others with its report. */
export interface ProcessFigures {
  /** By program; empty where it does not deliver. */
  readonly partner: Readonly<Record<string, PartnerFigures>>;
  /** By topic, of its own partitions; empty: it has none; null: it does not know. */
  readonly lag: Readonly<Record<string, TopicLag>> | null;
}

export const noFigures: ProcessFigures = { partner: {}, lag: null };

/**
 * A half-open breaker says nothing any more where somebody else has reached the partner since it opened: whoever has no work
 * to try it with stays half-open for as long.
 */
function isOutdated({ breaker, openedAt }: PartnerFigures, all: readonly PartnerFigures[]): boolean {
  if (breaker !== 'trying' && breaker !== 'probing') return false;
  return all.some((other) => other.breaker === 'closed' && (other.reachedAt ?? 0) > (openedAt ?? Infinity));
}

/** Whose breakers are not closed, and count. */
export function resting(all: readonly PartnerFigures[]): readonly PartnerFigures[] {
  return all.filter((one) => one.breaker !== 'closed' && !isOutdated(one, all));
}

type Time = number | null;
const known = (times: readonly Time[]): number[] => times.filter((time) => time !== null);
const earliest = (times: readonly Time[]): Time => known(times).toSorted((one, other) => one - other)[0] ?? null;
const latest = (times: readonly Time[]): Time => known(times).toSorted((one, other) => other - one)[0] ?? null;

function worst(all: readonly PartnerFigures[]): PartnerFigures['breaker'] {
  return breakerStages.findLast((stage) => all.some(({ breaker }) => breaker === stage)) ?? 'closed';
}

/** As if one had done it: calls and limits add up, the worst breaker counts. */
export function sumPartner(all: readonly PartnerFigures[]): PartnerFigures {
  const notClosed = resting(all);
  return {
    calls: sumCalls(all.map(({ calls }) => calls)),
    limit: all.reduce((sum, { limit }) => sum + limit, 0),
    inUse: all.reduce((sum, { inUse }) => sum + inUse, 0),
    breaker: worst(notClosed),
    since: earliest(notClosed.map(({ since }) => since)),
    openedAt: latest(notClosed.map(({ openedAt }) => openedAt)),
    reachedAt: latest(all.map(({ reachedAt }) => reachedAt)),
    cooldownUntil: latest(all.map(({ cooldownUntil }) => cooldownUntil)),
  };
}

/** As of one topic. */
export function sumLag(all: readonly TopicLag[]): TopicLag {
  return {
    records: all.reduce((sum, { records }) => sum + records, 0),
    oldestAt: earliest(all.map(({ oldestAt }) => oldestAt)),
  };
}

/** What each of them says of the same, by its name. */
function byName<Value>(all: readonly Readonly<Record<string, Value>>[]): ReadonlyMap<string, readonly Value[]> {
  const entries = all.flatMap((named) => Object.entries(named));
  const grouped = Map.groupBy(entries, ([name]) => name);
  return new Map([...grouped].map(([name, own]) => [name, own.map(([, value]) => value)]));
}

/** By program, what each of them says. */
export const partnersOf = (all: readonly ProcessFigures[]): ReadonlyMap<string, readonly PartnerFigures[]> =>
  byName(all.map(({ partner }) => partner));

/** By topic, of those that know; null: none does. */
export function lagOf(all: readonly ProcessFigures[]): ProcessFigures['lag'] {
  const told = all.map(({ lag }) => lag).filter((lag) => lag !== null);
  if (told.length === 0) return null;
  return Object.fromEntries([...byName(told)].map(([topic, own]) => [topic, sumLag(own)]));
}
