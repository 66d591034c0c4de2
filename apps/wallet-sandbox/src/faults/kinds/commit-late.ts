import { droppedAnswer, jsonAnswer } from '../../http/answer.js';
import { changingOperations } from '../../http/operation.js';
import type { FaultKind } from '../fault-kind.js';

/**
 * The caller is left at once, by a broken connection or with the error that `status` names; the call takes effect `ms`
 * later, if the state of that time still lets it.
 */
export const commitLate: FaultKind = {
  kind: 'commit-late',
  operations: changingOperations,
  requires: ['ms'],
  async around(call, { ms = 0, status }, { later }) {
    later(call, ms);
    return status === undefined ? droppedAnswer : jsonAnswer(status, { message: 'Gateway timeout' });
  },
};
