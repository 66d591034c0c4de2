import { jsonAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';
import { retryAfterHeader } from '../retry-after.js';

/** A server error, and nothing takes effect. */
export const errorBefore: FaultKind = {
  kind: 'error-before',
  async around(_call, { status = 500, retryAfter }) {
    return jsonAnswer(status, { message: 'Internal server error' }, retryAfterHeader(retryAfter, Date.now()));
  },
};
