import { changeAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';

/** The call takes effect; the answer's head comes at once, its body trickles in over `ms`. */
export const slowBody: FaultKind = {
  kind: 'slow-body',
  requires: ['ms'],
  async around(call, { ms = 0 }, { next }) {
    return changeAnswer(await next(call), { wire: 'slow-body', ms });
  },
};
