import fc from 'fast-check';

/** Mistakes that a model can be told to make: each breaks one rule of the product. */
export const bugs = [
  'revision-ignored',
  'decided-without-reading',
  'duplicate-is-applied',
  'no-compare-and-set',
  'no-begin',
  'send-before-commit',
  'wrong-epoch',
  'no-in-flight-wait',
  'offset-before-transaction',
  'head-by-query-order',
  'blind-resend',
  'late-outcome-dropped',
  'ahead-too-far',
  'open-attempt-overlooked',
  'truth-updated',
  'consumer-not-fenced',
  'values-not-enforced',
  'event-recorded-twice',
  'source-order-shuffled',
  'park-policy-ignored',
  'refund-does-not-wait',
  'retry-too-early',
  'retry-forgotten',
  'sent-twice',
  'timeout-is-applied',
  'timeout-is-not-applied',
  'parked-hastily',
  'correction-not-read',
  'lost-acknowledgement-is-late',
  'any-object-is-applied',
  'resent-after-a-yes',
  'mended-stays-parked',
] as const;

export type Bug = (typeof bugs)[number];

/** One run of the model. Everything else follows from the seed. */
export interface Plan {
  readonly seed: number;
  readonly members: number;
  readonly workers: number;
  readonly records: number;
  readonly policy: {
    readonly onPark: 'block' | 'continue';
    readonly reward: 'park' | 'resend' | 'probe';
    readonly transaction: 'park' | 'resend';
    readonly update: 'park' | 'resend' | 'probe';
    readonly issue: 'probe' | 'park';
  };
  /** Per call: the partner refuses, says nothing, or says it too late. */
  readonly trouble: number;
  readonly deaths: number;
  readonly stalls: number;
  readonly cancels: number;
  readonly operators: number;
  readonly troubledMs: number;
}

const share = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: 20 }).map((part) => (part * max) / 20);

export const plans: fc.Arbitrary<Plan> = fc.record({
  seed: fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
  members: fc.integer({ min: 1, max: 5 }),
  workers: fc.integer({ min: 1, max: 3 }),
  records: fc.integer({ min: 1, max: 40 }),
  policy: fc.record({
    onPark: fc.constantFrom('block', 'continue'),
    reward: fc.constantFrom('park', 'resend', 'probe'),
    transaction: fc.constantFrom('park', 'resend'),
    update: fc.constantFrom('park', 'resend', 'probe'),
    issue: fc.constantFrom('probe', 'probe', 'park'),
  }),
  trouble: share(0.6),
  deaths: fc.integer({ min: 0, max: 4 }),
  stalls: share(0.2),
  cancels: fc.integer({ min: 0, max: 20 }),
  operators: fc.integer({ min: 0, max: 6 }),
  troubledMs: fc.integer({ min: 1_000, max: 60_000 }),
});
