import fc from 'fast-check';

/** One run of a world. Everything else follows from the seed. */
export interface Scenario {
  readonly seed: number;
  readonly engines: number;
  readonly lanes: number;
  readonly intentsPerLane: number;
  /** Share of lanes whose member has a pass from the beginning. */
  readonly withPass: number;
  readonly settings: {
    readonly lanesHeldMax: number;
    readonly claimBatchSizeMax: number;
    readonly flushBatchSizeMax: number;
  };
  readonly limits: { readonly concurrency: number; readonly requestsPerSecond: number | null };
  readonly onPark: 'block' | 'continue';
  readonly troubledMs: number;
  readonly trouble: { readonly database: number; readonly partner: number; readonly stall: number };
  /** How often each happens while there is trouble. */
  readonly mishaps: {
    readonly deaths: number;
    readonly drains: number;
    readonly databaseOutages: number;
    readonly partnerOutages: number;
    readonly cancels: number;
    readonly arrivals: number;
    readonly enrolments: number;
    readonly reloads: number;
    readonly poisonings: number;
    readonly pauses: number;
  };
}

const share = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: 20 }).map((part) => (part * max) / 20);
const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const count = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
  engines: count(3),
  lanes: count(10),
  intentsPerLane: count(6),
  withPass: share(1),
  settings: fc.record({ lanesHeldMax: count(8), claimBatchSizeMax: count(8), flushBatchSizeMax: count(8) }),
  limits: fc.record({ concurrency: count(4), requestsPerSecond: fc.constantFrom(null, null, 0.5, 5, 100) }),
  onPark: fc.constantFrom('block', 'continue'),
  troubledMs: fc.integer({ min: 1_000, max: 40_000 }),
  trouble: fc.record({ database: share(0.4), partner: share(0.6), stall: share(0.2) }),
  mishaps: fc.record({
    deaths: upTo(4),
    drains: upTo(2),
    databaseOutages: upTo(2),
    partnerOutages: upTo(2),
    cancels: upTo(20),
    arrivals: upTo(8),
    enrolments: upTo(8),
    reloads: upTo(3),
    poisonings: upTo(1),
    pauses: upTo(4),
  }),
});
