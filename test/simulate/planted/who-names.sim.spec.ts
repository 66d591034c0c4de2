import { readFileSync } from 'node:fs';

import { SeedRunner } from '../runner/seed-runner.js';
import { plantedBugs } from './planted-bugs.js';
import type { Named } from './who-names.js';
import { namesOf, saidOf } from './who-names.js';

const page = readFileSync('test/judge/README.md', 'utf8');
/** Worlds that a cell of the table is looked for in, at most. */
const worldsMax = 300;
const timeoutMs = 300_000;

const cells = plantedBugs.flatMap((bug) => {
  const said = saidOf(page, bug);
  return (['checker', 'retailer'] as const).flatMap((judge: keyof Named) => {
    const rule = said?.[judge] ?? null;
    return rule === null ? [] : [{ name: bug.name, bug, judge, rule }];
  });
});

describe('the table of who names which planted bug', () => {
  let runner: SeedRunner;

  beforeAll(async () => {
    runner = await SeedRunner.open();
  }, timeoutMs);

  afterAll(() => runner.close());

  it('has rows', () => {
    expect(cells.length).toBeGreaterThanOrEqual(5);
  });

  it.each(cells)(
    'is right that the $judge names $name',
    async ({ bug, judge }) => {
      let named = (await namesOf(runner, bug, bug.seenIn))[judge];
      for (let seed = 1; named.length === 0 && seed <= worldsMax; seed += 1) {
        named = (await namesOf(runner, bug, seed))[judge];
      }
      expect(named).not.toEqual([]);
    },
    timeoutMs,
  );
});
