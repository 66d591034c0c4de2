import { droppedAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';

/** The call takes effect, then the connection breaks. */
export const dropAfter: FaultKind = {
  kind: 'drop-after',
  async around(call, _settings, { next }) {
    await next(call);
    return droppedAnswer;
  },
};
