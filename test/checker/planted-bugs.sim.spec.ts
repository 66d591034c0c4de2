import fc from 'fast-check';

import type { InvariantId } from './index.js';
import { checkHistory } from './index.js';
import type { Bug, Plan } from './model/plan.js';
import { plans } from './model/plan.js';
import { runModel } from './model/run-model.js';

/** Runs in which a bug shows are looked for until there are so many of them. */
const showingMax = 3;
const runsMax = 400;

/** Which invariant each bug breaks first. */
const breaks: Readonly<Record<Bug, InvariantId>> = {
  'revision-ignored': 'I26',
  'decided-without-reading': 'I10',
  'duplicate-is-applied': 'I8',
  'no-compare-and-set': 'I10',
  'no-begin': 'I9',
  'send-before-commit': 'I9',
  'wrong-epoch': 'I12',
  'no-in-flight-wait': 'I25',
  'offset-before-transaction': 'I1',
  'head-by-query-order': 'I5',
  'blind-resend': 'I25',
  'late-outcome-dropped': 'I12',
  'ahead-too-far': 'I11',
  'open-attempt-overlooked': 'I13',
  'truth-updated': 'I18',
  'consumer-not-fenced': 'I19',
  'values-not-enforced': 'I6',
  'event-recorded-twice': 'I3',
  'source-order-shuffled': 'I4',
  'park-policy-ignored': 'I24',
  'refund-does-not-wait': 'I24',
  'retry-too-early': 'I20',
  'retry-forgotten': 'I15',
  'sent-twice': 'I9',
  'timeout-is-applied': 'I8',
  'timeout-is-not-applied': 'I8',
  'parked-hastily': 'I15',
  'correction-not-read': 'I26',
  'lost-acknowledgement-is-late': 'I10',
  'any-object-is-applied': 'I8',
  'resent-after-a-yes': 'I24',
  'mended-stays-parked': 'I15',
};

/** The invariants broken by the bug in one run, the first first. */
function broken(plan: Plan, bug: Bug): InvariantId[] {
  const history = runModel(plan, bug);
  const violations = checkHistory(history);
  return [...new Set(violations.map(({ invariant }) => invariant))];
}

function showing(bug: Bug): InvariantId[][] {
  const found: InvariantId[][] = [];
  for (const plan of fc.sample(plans, { numRuns: runsMax, seed: 3 })) {
    const invariants = broken(plan, bug);
    if (invariants.length > 0) found.push(invariants);
    if (found.length === showingMax) break;
  }
  return found;
}

describe('a bug planted in the model', () => {
  it.each(Object.entries(breaks) as [Bug, InvariantId][])('%s breaks %s first', (bug, invariant) => {
    const found = showing(bug);
    const first = found.filter(([id]) => id === invariant);
    expect(found.length).toBeGreaterThan(0);
    expect([bug, first.length / found.length > 0.5, found]).toEqual([bug, true, found]);
  });
});
