import type { ChartLine } from '../components/chart-line.js';
import { standing, type Stats } from './problem.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What can be looked at: from 15 minutes to all that is kept. */
export const ranges = [
  { id: '15m', name: '15 min', ms: 15 * minuteMs },
  { id: '1h', name: '1 h', ms: hourMs },
  { id: '6h', name: '6 h', ms: 6 * hourMs },
  { id: '24h', name: '24 h', ms: 24 * hourMs },
] as const;

export type Range = (typeof ranges)[number];

/** As an address names it; one hour where it names none. */
export const rangeOf = (id: string | undefined): Range => ranges.find((range) => range.id === id) ?? ranges[1];

type Happening = 'received' | 'delivered' | 'parked' | 'unknown' | 'cancelled' | 'quarantined';
type Standing = 'waiting' | 'pending' | 'stillUnknown' | 'stillParked';
type Name = Happening | Standing | 'latencyP50Ms' | 'latencyP95Ms' | 'lagRecords' | 'lagSeconds';

/** What happened in a step, and what stood at its end; null: nobody knows. */
export type SeriesPoint = { readonly at: string } & Readonly<Record<Name, number | null>>;

const nothingKnown: Readonly<Record<Name, null>> = {
  ...{ received: null, delivered: null, parked: null, unknown: null, cancelled: null, quarantined: null },
  ...{ waiting: null, pending: null, stillUnknown: null, stillParked: null },
  ...{ latencyP50Ms: null, latencyP95Ms: null, lagRecords: null, lagSeconds: null },
};

export interface Series {
  readonly stepSeconds: number;
  readonly items: readonly SeriesPoint[];
}

interface Drawing {
  readonly times: readonly string[];
  readonly lines: readonly ChartLine[];
}

type LineOf = Omit<ChartLine, 'values'> & { readonly of: Name };

const flowLines: readonly LineOf[] = [
  { of: 'received', name: 'Recorded', colour: 'accent', isDashed: true },
  { of: 'delivered', name: 'Delivered', colour: 'delivered' },
];
const problemLines: readonly LineOf[] = [
  { of: 'parked', name: 'Parked', colour: 'parked' },
  { of: 'unknown', name: 'Unknown', colour: 'unknown' },
  { of: 'cancelled', name: 'Cancelled', colour: 'cancelled' },
  { of: 'quarantined', name: 'Set aside', colour: 'warning', isDashed: true },
];
const standingLines: readonly LineOf[] = [
  { of: 'pending', name: 'Pending', colour: 'pending' },
  { of: 'waiting', name: 'Waiting', colour: 'waiting', isDashed: true },
  { of: 'stillUnknown', name: 'Unknown', colour: 'unknown' },
  { of: 'stillParked', name: 'Parked', colour: 'parked' },
];

const latencyLines: readonly LineOf[] = [
  { of: 'latencyP50Ms', name: 'p50', colour: 'accent' },
  { of: 'latencyP95Ms', name: 'p95', colour: 'warning', isDashed: true },
];
const lagLines: readonly LineOf[] = [{ of: 'lagRecords', name: 'Records in Kafka', colour: 'pending' }];
const lagAgeLines: readonly LineOf[] = [{ of: 'lagSeconds', name: 'The oldest, at most', colour: 'pending' }];

function draw(items: readonly SeriesPoint[], lines: readonly LineOf[]): Drawing {
  return {
    times: items.map(({ at }) => at),
    lines: lines.map(({ of, ...line }) => ({ ...line, values: items.map((item) => item[of]) })),
  };
}

/** Without the step that runs: what came of it so far looks like a fall. */
export function finishedOf({ stepSeconds, items }: Series, nowMs: number): Series {
  return { stepSeconds, items: items.filter(({ at }) => Date.parse(at) + stepSeconds * 1_000 <= nowMs) };
}

/** How many were recorded and delivered in each step. */
export const flowOf = ({ items }: Series): Drawing => draw(items, flowLines);

/** What went wrong in each step. */
export const problemOf = ({ items }: Series): Drawing => draw(items, problemLines);

const before = (items: readonly SeriesPoint[], now: Stats): readonly SeriesPoint[] =>
  items.filter(({ at }) => Date.parse(at) < Date.parse(now.at));

/** What stood at the end of each step, and what stands now: that is known before its minute is over. */
export function stoodOf({ items }: Series, now: Stats | null, program?: string): Drawing {
  if (now === null) return draw(items, standingLines);
  const live: SeriesPoint = {
    ...{ ...nothingKnown, at: now.at },
    waiting: standing(now, ['waiting'], program),
    pending: standing(now, ['pending', 'delivering'], program),
    stillUnknown: standing(now, ['unknown'], program),
    stillParked: standing(now, ['parked'], program),
  };
  return draw([...before(items, now), live], standingLines);
}

/** How long the partner took: half of the calls of each step, and all but one in twenty. */
export const latencyOf = ({ items }: Series): Drawing => draw(items, latencyLines);

/** How far Kafka was ahead, in records and in seconds, and how far it is. */
export function lagOf({ items }: Series, now: Stats): { readonly records: Drawing; readonly age: Drawing } {
  const { at, lag } = now;
  const lagRecords = lag?.records ?? null;
  const lagSeconds = lagRecords === 0 ? 0 : (lag?.oldestSeconds ?? null);
  const known = [...before(items, now), { ...nothingKnown, at, lagRecords, lagSeconds }];
  return { records: draw(known, lagLines), age: draw(known, lagAgeLines) };
}

/** Nobody knows any of it. */
export const isUnknown = ({ lines }: Drawing): boolean =>
  lines.every(({ values }) => values.every((value) => value === null));

/** Nothing but zeros: there is nothing to draw. */
export const isBlank = ({ lines }: Drawing): boolean => lines.every(({ values }) => values.every((value) => !value));

/** What the charts have of what went wrong where that is nothing; the step that runs is not in them. */
export function calmText({ stepSeconds, items }: Series): string {
  const step = stepText(stepSeconds).replace('by ', '');
  const isMany = step.endsWith('s');
  if (items.length === 0) return `What went wrong is drawn once the first ${step} ${isMany ? 'are' : 'is'} over.`;
  return `Nothing was parked, unknown, cancelled or set aside before the ${step} that ${isMany ? 'run' : 'runs'}.`;
}

/** `by minute`, `by 5 minutes`. */
export function stepText(stepSeconds: number): string {
  const minutes = stepSeconds / 60;
  return minutes === 1 ? 'by minute' : `by ${minutes} minutes`;
}
