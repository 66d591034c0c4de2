import { changeAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';

/** The call takes effect; the connection breaks in the middle of the answer's body. */
export const truncated: FaultKind = {
  kind: 'truncated',
  async around(call, _settings, { next }) {
    return changeAnswer(await next(call), { wire: 'cut' });
  },
};
