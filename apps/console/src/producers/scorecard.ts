import { unnamed } from '../quarantine/quarantine-filter.js';
import type { SearchTexts } from '../shell/search-texts.js';

/** What a producer has sent, as `GET /producers` counts it. */
export interface Producer {
  readonly source: string | null;
  readonly store: string | null;
  readonly program?: string | null;
  /** All that had no room of their own. */
  readonly isRest?: boolean;
  /** All of its source, whatever store and program they name. */
  readonly isSummed?: boolean;
  /** Taken in; of these some were late, or came after something newer. */
  readonly events: number;
  readonly late: number;
  readonly outOfOrder: number;
  /** Not taken in. */
  readonly invalid: number;
  readonly duplicates: number;
  readonly conflicting: number;
}

export type Trouble = 'invalid' | 'late' | 'duplicates' | 'conflicting' | 'outOfOrder';

interface TroubleWords {
  readonly trouble: Trouble;
  readonly name: string;
  /** What it means to the team that emits. */
  readonly means: string;
}

export const troubles: readonly TroubleWords[] = [
  {
    trouble: 'invalid',
    name: 'Invalid',
    means: 'set aside: unreadable, against the schema, or for a program nobody has',
  },
  {
    trouble: 'conflicting',
    name: 'Conflicting',
    means: 'set aside: contradicts what the same event or number said before',
  },
  { trouble: 'duplicates', name: 'Duplicates', means: 'sent again with the same content: harmless, but work' },
  { trouble: 'late', name: 'Late', means: 'came more than an hour after it happened' },
  { trouble: 'outOfOrder', name: 'Out of order', means: 'ignored: something newer of the member had come before' },
];

/** All that it sent, whatever came of it. */
export const sentBy = ({ events, invalid, duplicates, conflicting }: Producer): number =>
  events + invalid + duplicates + conflicting;

/** Late ones and stale ones were taken in; the others are of all that was sent. */
export function rateOf(producer: Producer, trouble: Trouble): number | null {
  const of = trouble === 'late' || trouble === 'outOfOrder' ? producer.events : sentBy(producer);
  return of === 0 ? null : producer[trouble] / of;
}

const z = 1.96;

/**
 * What is surely wrong with it: the lower end of Wilson's interval, so that one bad record of two is not worse than a
 * hundred of three hundred. Duplicates are harmless and count for a tenth.
 */
export function badness(producer: Producer): number {
  const n = sentBy(producer);
  if (n === 0) return 0;
  const { invalid, conflicting, late, outOfOrder, duplicates } = producer;
  const p = Math.min(1, (invalid + conflicting + late + outOfOrder + duplicates / 10) / n);
  const spread = z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2));
  return Math.max(0, (p + z ** 2 / (2 * n) - spread) / (1 + z ** 2 / n));
}

/** The one that all name who name any; null: there is none, or several. */
function onlyOf(names: readonly (string | null)[]): string | null {
  const named = new Set(names.filter((name) => name !== null));
  const [only = null] = named;
  return named.size === 1 ? only : null;
}

function summed(producers: readonly Producer[], isRest: boolean): Producer {
  const sum = (count: 'events' | Trouble): number => producers.reduce((total, producer) => total + producer[count], 0);
  return {
    source: producers[0]?.source ?? null,
    store: onlyOf(producers.map(({ store }) => store)),
    program: onlyOf(producers.map(({ program = null }) => program)),
    isRest,
    isSummed: true,
    events: sum('events'),
    late: sum('late'),
    outOfOrder: sum('outOfOrder'),
    invalid: sum('invalid'),
    duplicates: sum('duplicates'),
    conflicting: sum('conflicting'),
  };
}

const sourceKey = ({ source, isRest = false }: Producer): string => JSON.stringify([source, isRest]);

/**
 * One line for each source. What could not be read has neither store nor program, and would else stand apart from what the same
 * till sent well.
 */
export function bySource(producers: readonly Producer[]): readonly Producer[] {
  const groups = Map.groupBy(producers, sourceKey);
  return [...groups.values()].map((group) => summed(group, group[0]?.isRest ?? false));
}

/** What the quarantine takes to show exactly the records that were counted, whatever became of them; null: none does. */
export function asideOf(producer: Producer, trouble: Trouble): Readonly<Record<string, string>> | null {
  const isAside = trouble === 'invalid' || trouble === 'conflicting';
  if (producer.isRest === true || !isAside) return null;
  return { ...senderOf(producer), countedAs: trouble, state: 'any' };
}

function senderOf({ source, store, program = null, isSummed = false }: Producer): Readonly<Record<string, string>> {
  const texts = isSummed ? { source } : { source, store, program };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text ?? unnamed]));
}

export type ScoreOrder = 'worst' | 'events' | Trouble;
const orders: readonly ScoreOrder[] = ['worst', 'events', ...troubles.map(({ trouble }) => trouble)];

export function orderOf(texts: SearchTexts): ScoreOrder {
  return orders.find((order) => order === texts.sort) ?? 'worst';
}

function weightOf(producer: Producer, order: ScoreOrder): number {
  if (order === 'worst') return badness(producer);
  return order === 'events' ? sentBy(producer) : (rateOf(producer, order) ?? 0);
}

/** The worst, or the most, first. */
export function ordered(producers: readonly Producer[], order: ScoreOrder): readonly Producer[] {
  return producers.toSorted((a, b) => weightOf(b, order) - weightOf(a, order) || sentBy(b) - sentBy(a));
}

export function found(producers: readonly Producer[], text: string): readonly Producer[] {
  const wanted = text.toLowerCase();
  return producers.filter(({ source, store, program }) =>
    [source, store, program].some((name) => (name ?? '').toLowerCase().includes(wanted)),
  );
}

/** By source: all that a source sent which has the text anywhere, for the quarantine shows all of it, too. */
export function linesOf(producers: readonly Producer[], { by, q = '' }: SearchTexts): readonly Producer[] {
  const fitting = found(producers, q);
  if (by === 'all') return fitting;
  const sources = new Set(fitting.map(sourceKey));
  return bySource(producers.filter((producer) => sources.has(sourceKey(producer))));
}

/** Two digits that matter: `0.04 %`, `3.1 %`, `42 %`. */
export function rateText(rate: number | null): string {
  if (rate === null) return '–';
  const percent = rate * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.01) return '< 0.01 %';
  return `${percent.toFixed(percent < 1 ? 2 : percent < 10 ? 1 : 0)} %`;
}

/** Above this a cell is marked. */
const markedRates: Readonly<Record<Trouble, number>> = {
  invalid: 0.01,
  conflicting: 0.01,
  duplicates: 0.05,
  late: 0.05,
  outOfOrder: 0.05,
};

export const isMarked = (producer: Producer, trouble: Trouble): boolean =>
  (rateOf(producer, trouble) ?? 0) > markedRates[trouble];

export function producerName({ source, isRest = false }: Producer): string {
  return isRest ? 'all others' : (source ?? 'no source');
}

const hourMs = 3_600_000;
export const rangeHours = { '24h': 24, '1h': 1, '7d': 7 * 24, '31d': 31 * 24 } as const;
export type RangeName = keyof typeof rangeHours;

export interface ScoreRange {
  readonly name: RangeName | 'own';
  readonly query: { readonly from?: string; readonly to?: string };
}

/** Hours are whole, so the same hour is asked for as long as it lasts. */
export function rangeOf({ range, from, to }: SearchTexts, nowMs: number): ScoreRange {
  if (from !== undefined || to !== undefined) {
    return { name: 'own', query: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) } };
  }
  const name = (Object.keys(rangeHours) as RangeName[]).find((one) => one === range) ?? '24h';
  // One hour less: the API begins with the whole hour, and lets nobody ask for more than 31 days.
  const beginMs = Math.floor(nowMs / hourMs) * hourMs - (rangeHours[name] - 1) * hourMs;
  return { name, query: { from: new Date(beginMs).toISOString() } };
}

/**
 * The time of the records that were counted: an hour that begins before the end of the range was counted whole, and what comes
 * after the counting was not.
 *
 * @param counted as the answer says
 */
export function countedTime(
  { to }: ScoreRange['query'],
  counted: { readonly from: string; readonly to: string },
): { readonly from: string; readonly to: string } {
  if (to === undefined) return counted;
  const endMs = Math.ceil(Date.parse(counted.to) / hourMs) * hourMs;
  return { from: counted.from, to: new Date(endMs).toISOString() };
}

const dayMs = 24 * hourMs;

/** `from ... to ...`, as the API reads what is left out. */
export function rangeWords(
  { from, to }: ScoreRange['query'],
  nowMs: number,
  momentText: (atMs: number) => string,
): string {
  const toMs = to === undefined ? nowMs : Date.parse(to);
  const fromMs = from === undefined ? toMs - dayMs : Date.parse(from);
  return `from ${momentText(fromMs)} to ${momentText(toMs)}`;
}
