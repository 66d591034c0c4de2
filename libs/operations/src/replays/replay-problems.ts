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

export function standsOtherwise(state: ReplayState): ApiProblem {
  const title = 'The replay does not stand so that this could be done';
  return new ApiProblem({ status: 409, code: 'replay-state', title, detail: `It is ${state}.` });
}

/** @param differences what differs, without values that may be personal */
export function asksForAnother(replayId: string, differences: readonly string[]): ApiProblem {
  const title = 'There is a replay of that id already, and it is another one';
  const detail = `${replayId} differs in ${differences.join(', ')}. Ask for what it is, or take another id.`;
  return new ApiProblem({ status: 409, code: 'replay-differs', title, detail });
}
