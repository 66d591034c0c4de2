import type { FaultKind } from '../fault-kind.js';
import { redirectStatuses, redirectTo } from '../redirect-to.js';

/** The call takes effect, then the caller is sent to another place. */
export const redirectAfter: FaultKind = {
  kind: 'redirect-after',
  statuses: redirectStatuses,
  async around(call, settings, { next }) {
    await next(call);
    return redirectTo(settings);
  },
};
