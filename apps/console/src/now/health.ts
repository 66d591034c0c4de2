import { failureProblems } from './failure-problems.js';
import { systemProblems } from './system-problems.js';
import { countText, type Looked, type Severity, standing, type Stats, type Problem } from './problem.js';

/** How things stand, in one sentence; and what else there is, the worst first. */
export interface Health {
  readonly state: 'well' | 'attention' | 'broken';
  readonly sentence: string;
  /** Of which the sentence speaks; null: all is well. */
  readonly worst: Problem | null;
  readonly others: readonly Problem[];
}

/** What a minute has brought: of the series, else of the rate. */
interface Delivered {
  readonly count: number;
  readonly isRate: boolean;
}

const order: Readonly<Record<Severity, number>> = { broken: 0, attention: 1, note: 2 };

/** The worst first. */
function troublesOf(looked: Looked): readonly Problem[] {
  return [...systemProblems(looked), ...failureProblems(looked)].toSorted(
    (one, two) => order[one.severity] - order[two.severity] || two.weight - one.weight,
  );
}

function waitingText(stats: Stats): string {
  const pending = standing(stats, ['pending', 'delivering']);
  const waiting = standing(stats, ['waiting']);
  const parts = [
    ...(pending === 0 ? [] : [`${countText(pending)} under way`]),
    ...(waiting === 0 ? [] : [`${countText(waiting)} wait for something of their member`]),
  ];
  return parts.length === 0 ? 'nothing waits' : parts.join(', ');
}

function deliveredText(delivered: Delivered | null): readonly string[] {
  if (delivered === null) return [];
  const count = countText(delivered.count);
  return [delivered.isRate ? `about ${count} settled a minute` : `${count} delivered in the last minute`];
}

export function healthOf(looked: Looked, delivered: Delivered | null): Health {
  const [first, ...rest] = troublesOf(looked);
  if (first === undefined || first.severity === 'note') {
    const sentence = `All well: ${[...deliveredText(delivered), waitingText(looked.stats)].join(', ')}`;
    return { state: 'well', sentence, worst: null, others: first === undefined ? [] : [first, ...rest] };
  }
  return { state: first.severity, sentence: first.text, worst: first, others: rest };
}

interface SeriesPart {
  readonly stepSeconds: number;
  readonly items: readonly { readonly at: string; readonly delivered: number | null }[];
}

const minuteSeconds = 60;
/** A minute that ended longer ago is not the last one. */
const recentMs = 4 * 60_000;

/** Of the last whole minute whose deliveries are counted; where there is none, as fast as it goes now. */
export function deliveredLately(stats: Stats, series: SeriesPart | null): Delivered | null {
  const countedUntilMs = Date.parse(stats.at) - stats.countedUntil.lagSeconds * 1_000;
  const isMinutes = series?.stepSeconds === minuteSeconds;
  const minute = (isMinutes ? series.items : []).findLast(({ at, delivered }) => {
    const endMs = Date.parse(at) + minuteSeconds * 1_000;
    return delivered !== null && endMs <= countedUntilMs && countedUntilMs - endMs <= recentMs;
  });
  if (minute !== undefined && minute.delivered !== null) return { count: minute.delivered, isRate: false };
  if (stats.rates.length === 0) return null;
  const perSecond = stats.rates.reduce((sum, { settledPerSecond }) => sum + settledPerSecond, 0);
  return { count: Math.round(perSecond * minuteSeconds), isRate: true };
}
