import { SeedRunner } from './runner/seed-runner.js';

/**
 * Worlds that once found something, in the product, the world or a judge; what it was has a test of its own, too. Planted
 * bugs are in `planted/who-names.sim.spec.ts`.
 */
const corpus = [
  1033, 1048, 3048, 3082, 3101, 6182, 6233, 6264, 6344, 6437, 6749, 10042, 10166, 10213, 10493, 11176, 20259, 20709,
  22191, 24603, 26135, 100304, 101961, 113697, 115503, 115690, 116991, 117167, 121359, 200032, 200316,
];

/** A fixed budget beside it: the long search is `npm run simulate`. */
const worlds = Number(process.env['SIMULATE_WORLDS'] ?? 80);
const firstSeed = 1;
const timeoutMs = 300_000;

describe('worlds in virtual time', () => {
  let runner: SeedRunner;

  beforeAll(async () => {
    runner = await SeedRunner.open();
  }, timeoutMs);

  afterAll(() => runner.close());

  async function problemsOf(seeds: Iterable<number>): Promise<Record<string, readonly string[]>> {
    const broken: Record<string, readonly string[]> = {};
    for (const seed of seeds) {
      const { problems } = await runner.run(seed, { asksRetailer: true });
      if (problems.length > 0) broken[`npm run simulate -- --replay ${seed}`] = problems.slice(0, 2);
    }
    return broken;
  }

  it(
    'that once broke an invariant break none any more',
    async () => {
      expect(await problemsOf(corpus)).toEqual({});
    },
    timeoutMs,
  );

  it(
    'break no invariant, and leave a retailer nothing to complain of',
    async () => {
      expect(await problemsOf(Array.from({ length: worlds }, (_, index) => firstSeed + index))).toEqual({});
    },
    timeoutMs,
  );

  it(
    'run alike each time',
    async () => {
      const [first, second] = [await runner.run(77), await runner.run(77)];
      expect([second.traceHash, second.steps]).toEqual([first.traceHash, first.steps]);
    },
    timeoutMs,
  );
});
