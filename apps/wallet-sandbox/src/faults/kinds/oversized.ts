import { changeAnswer } from '../../http/answer.js';
import type { FaultKind } from '../fault-kind.js';

/** Far over what any client reads into memory. */
const bytesDefault = 64 * 1024 * 1024;

/** The call takes effect; its answer is right, and padded to `bytes` with one endless property. */
export const oversized: FaultKind = {
  kind: 'oversized',
  async around(call, { bytes = bytesDefault, status }, { next }) {
    const answer = await next(call);
    return changeAnswer(answer, { status: status ?? answer.status, wire: 'oversized', bytes });
  },
};
