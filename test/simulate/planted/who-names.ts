import type { SeedRunner } from '../runner/seed-runner.js';
import type { WorldResult } from '../world/world.js';
import type { PlantedBug } from './planted-bug.js';
import { noBug } from './planted-bug.js';

/** What the two judges say of one world: the rules that they name, the surest first. */
export interface Named {
  readonly checker: readonly string[];
  readonly retailer: readonly string[];
}

/** What is said of a world because of the bug: not what is said of it anyway. */
export async function namesOf(runner: SeedRunner, bug: PlantedBug, seed: number): Promise<Named> {
  const planted = namedIn(await runner.run(seed, { bug, asksRetailer: true }));
  if (planted.checker.length + planted.retailer.length === 0) return planted;
  const anyway = namedIn(await runner.run(seed, { bug: { ...noBug, world: bug.world }, asksRetailer: true }));
  return {
    checker: planted.checker.filter((rule) => !anyway.checker.includes(rule)),
    retailer: planted.retailer.filter((rule) => !anyway.retailer.includes(rule)),
  };
}

function namedIn({ verdict, retailer }: WorldResult): Named {
  return {
    checker: [...new Set((verdict?.violations ?? []).map(({ invariant }) => invariant))],
    retailer: Object.keys(retailer?.byRule ?? {}),
  };
}

/** How often each rule was named, by whom. */
type Counts = Readonly<Record<keyof Named, Map<string, number>>>;

/** A row of the table: a bug, what it is, and who names it, the rule named most often first. */
export async function rowOf(runner: SeedRunner, bug: PlantedBug, seeds: Iterable<number>): Promise<string> {
  const counts: Counts = { checker: new Map(), retailer: new Map() };
  for (const seed of seeds) {
    const named = await namesOf(runner, bug, seed);
    for (const judge of ['checker', 'retailer'] as const) {
      for (const rule of named[judge]) counts[judge].set(rule, (counts[judge].get(rule) ?? 0) + 1);
    }
  }
  return `| \`${bug.name}\` | ${bug.what} | ${cell(counts.checker)} | ${cell(counts.retailer)} |`;
}

const rulesShownMax = 3;

function cell(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([, one], [, other]) => other - one).slice(0, rulesShownMax);
  return sorted.map(([rule, count]) => `\`${rule}\` ${count}`).join(', ') || '–';
}

export const tableHead = ["| planted bug | what is wrong | checker | retailer's judge |", '|---|---|---|---|'] as const;

/** By which rules each judge is said to name a bug, in the table of a page; none: the page does not say it. */
export function saidOf(page: string, { name, what }: PlantedBug): Named {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` | ${what} |`)) ?? '';
  const [checker = [], retailer = []] = row.split('|').slice(3, 5).map(rulesIn);
  return { checker, retailer };
}

function rulesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].flatMap(([, rule]) => rule ?? []);
}
