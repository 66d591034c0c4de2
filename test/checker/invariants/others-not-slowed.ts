import type { Invariant } from './invariant.js';

/** I14: stuck lanes and programs do not slow others. A matter of speed, which a history does not show. */
export const othersNotSlowed: Invariant = {
  id: 'I14',
  checks: 'nothing here',
  cannotSee: 'speed',
  elsewhere: [
    'test/bench',
    'libs/delivery/src/engine/desks.unit.spec.ts',
    'libs/delivery/src/engine/delivery-engine.unit.spec.ts',
  ],
};
