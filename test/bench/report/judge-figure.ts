import type { Limit } from '../measures/bar.js';
import { rounded } from '../statistics.js';
import type { BarReport } from './measure-report.js';

const isWithin = (limit: Limit, reached: number): boolean =>
  'atLeast' in limit ? reached >= limit.atLeast : reached <= limit.atMost;

const limitOf = (bar: Limit): Limit => ('atLeast' in bar ? { atLeast: bar.atLeast } : { atMost: bar.atMost });

/** Holds a figure against its bar. A figure that is missing holds none. */
export const judgeFigure = (bar: Limit & { readonly text: string }, reached: number): BarReport => ({
  ...limitOf(bar),
  text: bar.text,
  reached: rounded(reached),
  holds: isWithin(bar, reached),
});
