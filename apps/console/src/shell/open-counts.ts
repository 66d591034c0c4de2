import { standing, type Stats } from '../now/problem.js';
import type { screenGroups } from './screens.js';

/** What is open on a screen: a number, and what it counts. */
export interface OpenCount {
  readonly count: number;
  readonly what: string;
}

type ScreenPath = (typeof screenGroups)[number]['screens'][number]['to'];

/** By screen, where something is open; undefined stats: nothing is known yet. */
export function openCounts(stats: Stats | undefined): ReadonlyMap<ScreenPath, OpenCount> {
  if (stats === undefined) return new Map();
  const records = stats.quarantine.reduce((sum, group) => sum + group.records, 0);
  const all: readonly (readonly [ScreenPath, number, string])[] = [
    ['/failures', standing(stats, ['parked']), 'parked'],
    ['/quarantine', records, 'set aside'],
    ['/pauses', stats.pauses.length, 'in force'],
    ['/jobs', stats.jobs.length, 'not at their end'],
  ];
  return new Map(all.filter(([, count]) => count > 0).map(([to, count, what]) => [to, { count, what }]));
}
