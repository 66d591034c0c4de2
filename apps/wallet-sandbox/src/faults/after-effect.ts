import { droppedAnswer, jsonAnswer } from '../http/answer.js';
import { changingOperations } from '../http/operation.js';
import { redirectStatuses, redirectTo } from './before-effect.js';
import type { FaultKind } from './fault-kind.js';

/** The call takes effect, the answer is a server error. */
export const errorAfter: FaultKind = {
  kind: 'error-after',
  async around(call, { status = 500 }, { next }) {
    await next(call);
    return jsonAnswer(status, { message: 'Internal server error' });
  },
};

/** The call takes effect, then the caller is sent to another place. */
export const redirectAfter: FaultKind = {
  kind: 'redirect-after',
  statuses: redirectStatuses,
  async around(call, settings, { next }) {
    await next(call);
    return redirectTo(settings);
  },
};

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
