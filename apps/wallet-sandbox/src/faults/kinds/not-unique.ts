import type { FaultKind } from '../fault-kind.js';
import { changingOperations } from '../operation-sets.js';

/** Nothing is unique for this call: a second pass, a used receipt, are taken. */
export const notUnique: FaultKind = {
  kind: 'not-unique',
  operations: changingOperations,
  around(call, _settings, { next }) {
    return next({ ...call, enforceUnique: false });
  },
};
