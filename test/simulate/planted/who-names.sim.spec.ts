import { readFileSync } from 'node:fs';

import { SeedRunner } from '../runner/seed-runner.js';
import { plantedBugs } from './planted-bugs.js';
import { namesOf, saidOf } from './who-names.js';

const page = readFileSync('test/judge/README.md', 'utf8');
/** Worlds that a bug is looked for in, at most. */
const worldsMax = 60;
const timeoutMs = 300_000;
const judges = ['checker', 'retailer'] as const;

describe('a bug planted into worlds', () => {
  let runner: SeedRunner;

  beforeAll(async () => {
    runner = await SeedRunner.open();
  }, timeoutMs);

  afterAll(() => runner.close());

  it.each(plantedBugs.map((bug) => [bug.name, bug] as const))(
    'is named as the table of test/judge/README.md says: %s',
    async (_name, bug) => {
      const said = saidOf(page, bug);
      const open = new Set(judges.filter((judge) => said[judge].length > 0));
      expect(open).not.toEqual(new Set());
      const seeds = [bug.seenIn, ...Array.from({ length: worldsMax }, (_, index) => index + 1)];
      for (const seed of seeds) {
        if (open.size === 0) break;
        const named = await namesOf(runner, bug, seed);
        for (const judge of open) if (said[judge].some((rule) => named[judge].includes(rule))) open.delete(judge);
      }
      expect(open).toEqual(new Set());
    },
    timeoutMs,
  );
});
