import fc from 'fast-check';

import { judgeHistory } from './index.js';
import { plans } from './model/plan.js';
import { runModel } from './model/run-model.js';

/** Histories per run; `CHECKER_HISTORIES=100000` for a long search. */
const histories = Number(process.env['CHECKER_HISTORIES'] ?? 1_000);

describe('correct histories', () => {
  it('break no invariant', () => {
    const property = fc.property(plans, (plan) => {
      const { violations, exposures } = judgeHistory(runModel(plan));
      expect(violations.slice(0, 3)).toEqual([]);
      // Nothing lies outside the promise but what the programs file and operators asked for.
      expect(
        Object.keys(exposures).filter((bucket) => bucket !== 'at-least-once' && bucket !== 'operator-replay'),
      ).toEqual([]);
    });
    fc.assert(property, { numRuns: histories });
  });
});
