import { jsonAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';
import { retryAfterHeader } from '../retry-after.js';

/** 429, with Retry-After when the rule gives one; nothing takes effect. */
export const tooMany: FaultKind = {
  kind: 'too-many',
  async around(_call, { status = 429, retryAfter }) {
    return jsonAnswer(status, { message: 'Too many requests' }, retryAfterHeader(retryAfter, Date.now()));
  },
};
