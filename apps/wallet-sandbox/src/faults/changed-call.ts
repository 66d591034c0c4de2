import { chooseWording, otherWording } from '../contract/wordings.js';
import { partnerOperations, readingOperations } from '../http/operation.js';
import type { FaultKind } from './fault-kind.js';

/** A replica that lags behind: a pass that was issued within the last `ms` is not seen. */
export const staleLookup: FaultKind = {
  kind: 'stale-lookup',
  operations: readingOperations,
  requires: ['ms'],
  around(call, { ms = 0 }, { next }) {
    return next({ ...call, asOf: Date.now() - ms });
  },
};

/** Nothing is unique for this call: a second pass, a used receipt, another cardholder's value are taken. */
export const notUnique: FaultKind = {
  kind: 'not-unique',
  operations: ['issue', 'issue-via-workflow', 'update-via-workflow', 'transaction'],
  around(call, _settings, { next }) {
    return next({ ...call, enforceUnique: false });
  },
};

/** A refusal of this call is worded otherwise (`wording`: which), and has another `status` where the rule gives one. */
export const message: FaultKind = {
  kind: 'message',
  operations: partnerOperations,
  statuses: [400, 499],
  async around(call, { wording, status }, { next }) {
    const other = wording === undefined ? otherWording(call.wording) : chooseWording(wording);
    const answer = await next({ ...call, wording: other });
    return answer.status === 400 ? { ...answer, status: status ?? 400 } : answer;
  },
};
