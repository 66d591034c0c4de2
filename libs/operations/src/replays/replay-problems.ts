import type { ReplayState } from '#intents';
import { replayItemsMax } from '#intents';

import { ApiProblem } from '../problems/api-problem.js';

export function noSuchReplay(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-replay', title: 'There is no such replay' });
}

export function nothingToReplay(): ApiProblem {
  const detail = 'Nothing that is parked fits the query.';
  return new ApiProblem({ status: 422, code: 'nothing-to-replay', title: 'There is nothing to replay', detail });
}

export function tooMuchToReplay(): ApiProblem {
  const detail = `More than ${replayItemsMax} intents fit the query. Narrow it down.`;
  return new ApiProblem({ status: 422, code: 'too-much-to-replay', title: 'That is too much at once', detail });
}

export function forceNeedsAdmin(): ApiProblem {
  const detail = 'To force what was replayed often without success needs the role admin.';
  return new ApiProblem({ status: 403, code: 'role', title: 'You may not do this', detail });
}

export function standsOtherwise(state: ReplayState): ApiProblem {
  const title = 'The replay does not stand so that this could be done';
  return new ApiProblem({ status: 409, code: 'replay-state', title, detail: `It is ${state}.` });
}
