import { changeAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';

/** The call takes effect; the answer's head trickles in over `ms`, then its body comes at once. */
export const slowHeaders: FaultKind = {
  kind: 'slow-headers',
  requires: ['ms'],
  async around(call, { ms = 0 }, { next }) {
    return changeAnswer(await next(call), { wire: 'slow-headers', ms });
  },
};
