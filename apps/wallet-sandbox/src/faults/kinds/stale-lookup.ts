import { readingOperations } from '../../http/operation.js';
import type { FaultKind } from '../fault-kind.js';

/** A replica that lags behind: a pass that was issued within the last `ms` is not seen. */
export const staleLookup: FaultKind = {
  kind: 'stale-lookup',
  operations: readingOperations,
  requires: ['ms'],
  around(call, { ms = 0 }, { next }) {
    return next({ ...call, asOf: Date.now() - ms });
  },
};
