import { changingOperations } from '../../http/operation.js';
import type { FaultKind } from '../fault-kind.js';

/** A gateway in between repeats the request by itself and returns the first answer. What is unique is refused again. */
export const commitTwice: FaultKind = {
  kind: 'commit-twice',
  operations: changingOperations,
  async around(call, _settings, { next }) {
    const first = await next(call);
    await next(call);
    return first;
  },
};
