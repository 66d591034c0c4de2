import { jsonAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';
import { retryAfterHeader } from '../retry-after.js';

/** The token endpoint is out of order. */
export const tokenDown: FaultKind = {
  kind: 'token-down',
  operations: ['token'],
  async around(_call, { status = 503, retryAfter }) {
    return jsonAnswer(status, { message: 'Service unavailable' }, retryAfterHeader(retryAfter, Date.now()));
  },
};
