import type { PartnerRequest } from '../history/partner-history.js';
import type { RunHistory } from '../history/run-history.js';
import type { Finding, Invariant } from './invariant.js';
import { ofTheRun } from './invariant.js';

/** I21: one token refresh in flight per replica. */
export const oneTokenRefresh: Invariant = {
  id: 'I21',
  checks: 'no more token requests overlap at the partner than there are replicas',
  cannotSee: 'anything where nobody noted requests; which replica asked; restarts within one refresh',
  elsewhere: ['libs/gateway/src/token/token-source.unit.spec.ts'],
  judge: (run) => ({ end: () => judgeTokens(run) }),
};

function* judgeTokens({ requests = [], notes }: RunHistory): Iterable<Finding> {
  const tokens = requests.filter(({ operation }) => operation === 'token');
  let open: PartnerRequest[] = [];
  for (const request of tokens.toSorted((one, other) => one.arrivedAt - other.arrivedAt)) {
    open = [...open.filter(({ endedAt }) => (endedAt ?? Infinity) > request.arrivedAt), request];
    if (open.length <= notes.replicas) continue;
    yield ofTheRun(`${open.length} token refreshes at once`, open, request.arrivedAt);
    return;
  }
}
