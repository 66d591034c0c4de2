import fc from 'fast-check';

import { judgeHistory } from './index.js';
import { plans } from './model/plan.js';
import { runModel } from './model/run-model.js';

/** Histories per run; `CHECKER_HISTORIES=20000` for a long search, about 100 a second. */
const histories = Number(process.env['CHECKER_HISTORIES'] ?? 1_000);

/** What the programs file, operators and other tills ask for; nothing else may lie outside the promise. */
const askedFor: readonly string[] = [
  'at-least-once',
  'operator-replay',
  'value-taken-by-others',
  'rebuild-in-other-numbers',
];

describe('correct histories', () => {
  it('break no invariant', () => {
    const property = fc.property(plans, (plan) => {
      const history = runModel(plan);
      const { violations, exposures } = judgeHistory(history);
      expect(violations.slice(0, 3)).toEqual([]);
      expect(Object.keys(exposures).filter((bucket) => !askedFor.includes(bucket))).toEqual([]);
    });
    fc.assert(property, { numRuns: histories });
  });

  it('are the same for the same plan', () => {
    const [plan] = fc.sample(plans, { numRuns: 1, seed: 7 });
    expect(JSON.stringify(runModel(plan!))).toBe(JSON.stringify(runModel(plan!)));
  });

  it('have been through everything that the invariants are about', () => {
    const seen = new Set<string>();
    for (const plan of fc.sample(plans, { numRuns: 600, seed: 11 })) {
      const { figures } = judgeHistory(runModel(plan));
      for (const name of [...Object.keys(figures.resolutions), ...Object.keys(figures.parked)]) seen.add(name);
      if (figures.lateOutcomes > 0) seen.add('late outcomes');
      if (figures.cancelled > 0) seen.add('cancelled');
    }
    expect([...seen].sort()).toEqual([
      'absent: late-outcome',
      'absent: lookup-and-listing',
      'applied: as-wanted',
      'applied: duplicate-refusal',
      'applied: late-outcome',
      'applied: pass-found',
      'applied: points',
      'cancelled',
      'exhausted',
      'late outcomes',
      'missing-pass',
      'missing-purchase',
      'parked',
      'rejected',
      'sent again: policy',
      'sent again: unique-attribute',
      'unknown-outcome',
    ]);
  });
});
