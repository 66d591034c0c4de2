import { plantedBugs } from './planted/planted-bugs.js';
import { SeedRunner } from './runner/seed-runner.js';

/** Worlds that once found something, in the product or in the world itself; what it was has a test of its own, too. */
const corpus = [
  1033, 1048, 6182, 6233, 6264, 6344, 6437, 6749, 10042, 10166, 10213, 10493, 11176, 20259, 20709, 22191, 24603, 26135,
  100304, 101961, 113697, 115503, 115690, 116991, 117167, 121359,
];

/** A fixed budget beside it: the long search is `npm run simulate`. */
const worlds = Number(process.env['SIMULATE_WORLDS'] ?? 80);
const firstSeed = 1;
/** Worlds that a planted bug is looked for in, at most. */
const plantedMax = 300;
const timeoutMs = 300_000;

/** Worlds about which the retailer's judge (test/judge) is asked, too. */
const retailerWorlds = 40;

describe('worlds in virtual time', () => {
  let runner: SeedRunner;

  beforeAll(async () => {
    runner = await SeedRunner.open();
  }, timeoutMs);

  afterAll(() => runner.close());

  async function problemsOf(seeds: Iterable<number>): Promise<Record<string, readonly string[]>> {
    const broken: Record<string, readonly string[]> = {};
    for (const seed of seeds) {
      const { problems } = await runner.run(seed);
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
    'break no invariant',
    async () => {
      expect(await problemsOf(Array.from({ length: worlds }, (_, index) => firstSeed + index))).toEqual({});
    },
    timeoutMs,
  );

  it(
    'leave a retailer nothing to complain of',
    async () => {
      const complaints = new Set<string>();
      for (let seed = firstSeed; seed < firstSeed + retailerWorlds; seed += 1) {
        const { problems } = await runner.run(seed, { asksRetailer: true });
        for (const problem of problems) complaints.add(/^retailer: ([a-z-]+)/.exec(problem)?.[1] ?? problem);
      }
      expect([...complaints]).toEqual([]);
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

  it.each(plantedBugs.map((bug) => [bug.name, bug] as const))(
    'show the planted bug %s',
    async (_name, bug) => {
      const { rules } = bug;
      const look = async (seed: number): Promise<readonly string[]> => {
        const { problems } = await runner.run(seed, { bug, asksRetailer: rules !== undefined });
        if (rules === undefined) return problems;
        return problems.filter((problem) => rules.some((rule) => problem.startsWith(`retailer: ${rule}`)));
      };
      let named = await look(bug.seenIn);
      for (let seed = firstSeed; named.length === 0 && seed < firstSeed + plantedMax; seed += 1) {
        named = await look(seed);
      }
      expect(named).not.toEqual([]);
    },
    timeoutMs,
  );
});
