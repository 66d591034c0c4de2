import { ApiProblem } from '../problems/api-problem.js';

const retrySeconds = '1';

/** Transactions that were open when it was made may still add to it. */
export function notFrozenYet(): ApiProblem {
  const detail = 'What it holds is not fixed yet: ask again in a second.';
  const headers = { 'retry-after': retrySeconds };
  return new ApiProblem({ status: 409, code: 'export-not-frozen', title: 'The export is not ready', detail, headers });
}

export function exportCancelled(): ApiProblem {
  return new ApiProblem({ status: 409, code: 'export-cancelled', title: 'The export was cancelled' });
}

export function personalNeedsAdmin(): ApiProblem {
  const detail = 'Lines with personal values need the role admin.';
  return new ApiProblem({ status: 403, code: 'role', title: 'You may not do this', detail });
}
