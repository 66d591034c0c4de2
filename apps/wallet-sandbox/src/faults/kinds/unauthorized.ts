import { jsonAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';

/** 401 although the token is good; nothing takes effect. */
export const unauthorized: FaultKind = {
  kind: 'unauthorized',
  async around() {
    return jsonAnswer(401, { message: 'Unauthorized' });
  },
};
