import { changeAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';

/** The call takes effect; the answer has no body. */
export const empty: FaultKind = {
  kind: 'empty',
  async around(call, { status }, { next }) {
    const answer = await next(call);
    return changeAnswer(answer, { status: status ?? answer.status, body: '' });
  },
};
