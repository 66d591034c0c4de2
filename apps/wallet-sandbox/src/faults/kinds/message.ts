import { chooseWording, otherWording } from '../../contract/wordings.js';
import { partnerOperations } from '../../http/operation.js';
import type { FaultKind } from '../fault-kind.js';

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
