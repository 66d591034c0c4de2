import { jsonAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';

/** The call takes effect, the answer is a server error. */
export const errorAfter: FaultKind = {
  kind: 'error-after',
  async around(call, { status = 500 }, { next }) {
    await next(call);
    return jsonAnswer(status, { message: 'Internal server error' });
  },
};
