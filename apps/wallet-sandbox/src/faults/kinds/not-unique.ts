import type { FaultKind } from '../fault-kind.js';

/** Nothing is unique for this call: a second pass, a used receipt, another cardholder's value are taken. */
export const notUnique: FaultKind = {
  kind: 'not-unique',
  operations: ['issue', 'issue-via-workflow', 'update-via-workflow', 'transaction'],
  around(call, _settings, { next }) {
    return next({ ...call, enforceUnique: false });
  },
};
