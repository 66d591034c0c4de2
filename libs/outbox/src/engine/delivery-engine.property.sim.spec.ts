import fc from 'fast-check';

import { runWorld } from '../testing/world.js';
import { scenarios } from '../testing/scenario.js';

/** Worlds per run; `DELIVERY_WORLDS=20000` for a long search, about 25 a second. */
const worlds = Number(process.env['DELIVERY_WORLDS'] ?? 80);

/**
 * The invariants of design.md section 9 that delivery answers for (I5-I10, I12-I15, I23, I25, I26), in worlds where
 * engines die and drain, the database fails before and after its commits, and the partner leaves things open.
 */
describe('engines in a world of trouble', () => {
  it('send in order, once, never after a cancel, and come to rest with nothing in their hands', () => {
    const property = fc.property(scenarios, (scenario) => {
      expect(runWorld(scenario).judge.violations.slice(0, 5)).toEqual([]);
    });
    fc.assert(property, { numRuns: worlds });
  });
});
