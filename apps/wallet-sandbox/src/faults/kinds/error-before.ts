import { jsonAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';

/** A server error, and nothing takes effect. */
export const errorBefore: FaultKind = {
  kind: 'error-before',
  async around(_call, { status = 500, retryAfter }) {
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return jsonAnswer(status, { message: 'Internal server error' }, headers);
  },
};
