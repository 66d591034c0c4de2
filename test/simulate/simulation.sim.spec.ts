import type { RunFigures } from '../checker/index.js';
import { noBug } from './planted/planted-bug.js';
import { turned } from './planted/planting.js';
import type { RunOptions } from './runner/seed-runner.js';
import { SeedRunner } from './runner/seed-runner.js';
import { later } from './world/fault.js';

/**
 * Worlds that once found something, in the product, the world or a judge; what it was has a test of its own, too. Planted
 * bugs are in `planted/who-names.sim.spec.ts`. These did so before worlds had what is `later`.
 */
const corpus = [
  1033, 1048, 3048, 3082, 3101, 6182, 6233, 6264, 6344, 6437, 6749, 10042, 10166, 10213, 10493, 11176, 20259, 20709,
  22191, 24603, 26135, 100304, 101961, 113697, 115503, 115690, 116991, 117167, 121359, 200032, 200316, 1002399, 1002663,
  2001257, 4000087, 8100199, 8200142, 8201367, 8202256, 9101425, 9102580,
];

/** The same, since. */
const corpusOfLater = [20001143, 20004078, 20004448, 60004513, 90003480, 150000524];

const dials = { enrolsLate: 0, neverEnrols: 0, late: 0 };
const resends = { issue: 'resend', update: 'resend', transaction: 'resend', reward: 'resend' } as const;

/** Daemons stand still over answers: others have taken their lanes over by then. */
const answeredLate = turned({
  size: {
    troubledMs: 60_000,
    events: 160,
    membersPerProgram: 8,
    settings: { lanesHeldMax: 64, claimBatchSizeMax: 64, flushBatchSizeMax: 64, flushesMax: 2 },
  },
  weather: { 'partner-slow': 1, 'already-busy': 0.5 },
  moments: { stop: 8 },
  sketch: { hasReceipts: false, inFlightMs: 30_000, onUnknown: resends },
  trade: { dials: { ...dials, often: { voids: 0, leaves: 0, erases: 0 } } },
});

/** Answers to rewards are lost, and nothing else moves the points of their passes. */
const provedByPoints = turned({
  weather: { 'commit-late': 0.4, 'drop-after': 0.4 },
  sketch: {
    hasReceipts: false,
    onUnknown: { issue: 'probe', update: 'park', transaction: 'park', reward: 'probe' },
    onPark: { issue: 'continue', transaction: 'continue', reward: 'continue' },
  },
  trade: { dials: { ...dials, often: { earns: 40 } } },
});

/** The programs file says that these answers are a no. */
const triedInVain = turned({
  weather: { 'error-before': 0.8 },
  sketch: { maxAttempts: 2, dialect: { notApplied: { statuses: [500, 502, 503, 504] } } },
  trade: { dials },
});

/** What can become of a call in doubt, and what is parked for. */
const becomes = [
  'absent: late-outcome',
  'absent: lookup-and-listing',
  'applied: duplicate-refusal',
  'applied: late-outcome',
  'applied: pass-found',
  'applied: points',
  'cancelled',
  'exhausted',
  'lateOutcomes',
  'missing-pass',
  'missing-purchase',
  'parked',
  'rejected',
  'sent again: policy',
  'sent again: unique-attribute',
  'unknown-outcome',
];

/** A fixed budget beside it; the first worlds are those of `test/checker/changed-histories.sim.spec.ts`. */
const worlds = Number(process.env['SIMULATE_WORLDS'] ?? 30);
const firstSeed = 101;
/** Worlds that are turned to one side, until each thing has become of a call in doubt in one of them. */
const turnedWorldsMax = 60;
const timeoutMs = 300_000;

describe('worlds in virtual time', () => {
  let runner: SeedRunner;
  const figures: RunFigures[] = [];

  beforeAll(async () => {
    runner = await SeedRunner.open();
  }, timeoutMs);

  afterAll(() => runner.close());

  async function problemsOf(
    seeds: Iterable<number>,
    options: Pick<RunOptions, 'bug' | 'without'> = {},
  ): Promise<Record<string, readonly string[]>> {
    const broken: Record<string, readonly string[]> = {};
    for (const seed of seeds) {
      const { problems, verdict } = await runner.run(seed, { asksRetailer: true, ...options });
      if (verdict !== null) figures.push(verdict.figures);
      if (problems.length > 0) broken[`npm run simulate -- --replay ${seed}`] = problems.slice(0, 2);
    }
    return broken;
  }

  /** What has not become of a call in doubt in any world so far. */
  function notSeen(names = becomes): string[] {
    const seen = new Set(figures.flatMap(({ resolutions, parked }) => Object.keys({ ...resolutions, ...parked })));
    for (const count of ['cancelled', 'lateOutcomes', 'unknowns'] as const) {
      if (figures.some((of) => of[count] > 0)) seen.add(count);
    }
    return names.filter((name) => !seen.has(name));
  }

  it(
    'that once broke an invariant break none any more',
    async () => {
      expect(await problemsOf(corpus, { without: new Set(later) })).toEqual({});
      expect(await problemsOf(corpusOfLater)).toEqual({});
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
    'break none where answers come late and tries run out, and have then been through all that invariants are about',
    async () => {
      expect(await problemsOf([1], { bug: { ...noBug, world: triedInVain } })).toEqual({});
      for (let seed = 1; seed <= turnedWorldsMax && notSeen(['applied: points']).length > 0; seed += 1) {
        expect(await problemsOf([seed], { bug: { ...noBug, world: provedByPoints } })).toEqual({});
      }
      for (let seed = 1; seed <= turnedWorldsMax && notSeen().length > 0; seed += 1) {
        expect(await problemsOf([seed], { bug: { ...noBug, world: answeredLate } })).toEqual({});
      }
      expect(notSeen()).toEqual([]);
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
