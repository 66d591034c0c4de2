import type { FaultKind } from '../fault-kind.js';

/**
 * The answer shows the pass of another member of the program, whole and plausible, as a gateway does that mixes up its
 * answers. Whether the call took effect, `applies` says, else the seed. Where no pass is answered it makes no sense.
 */
export const foreign: FaultKind = {
  kind: 'foreign',
  operations: ['lookup', 'issue', 'issue-via-workflow', 'update-via-workflow', 'reward'],
  choosesEffect: true,
  async around(call, { applies }, { next, chance, showStranger }) {
    const answer = (applies ?? chance(1) < 0.5) ? await next(call) : null;
    return answer?.wire === 'dropped' ? answer : showStranger(call, chance(2));
  },
};
