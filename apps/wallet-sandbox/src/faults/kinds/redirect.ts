import type { FaultKind } from '../fault-kind.js';
import { redirectStatuses, redirectTo } from '../redirect-to.js';

/** Sends the caller to another place, which `location` may name; nothing takes effect here. */
export const redirect: FaultKind = {
  kind: 'redirect',
  statuses: redirectStatuses,
  async around(_call, settings) {
    return redirectTo(settings);
  },
};
