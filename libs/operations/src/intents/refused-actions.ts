import type { RefusedAction } from '#intents';
import { replaysWithoutForceMax } from '#intents';

import { ApiProblem } from '../problems/api-problem.js';

const details: Partial<Record<RefusedAction, string>> = {
  'already-settled': 'It is delivered or cancelled: nothing is left to do.',
  'in-flight': 'An attempt is under way, or its outcome is being looked for. Wait until it is settled or parked.',
  'in-doubt':
    'An attempt may have taken effect. Say first what became of it: resolve it as delivered or not-delivered.',
  'not-parked': 'It is not parked: it will be sent by itself.',
  erased: "The member's person was erased: nothing is left to send.",
  'nothing-to-send': 'It has no content that the partner could be sent. Correct it first.',
  'too-many-put-back': 'Too many intents of this member have been put back already. Wait until they are sent.',
  'replayed-too-often': `It was put back ${replaysWithoutForceMax} times or more and is parked again. Find out why; an admin may force it.`,
};

/** What somebody wanted to do cannot be done to an intent that stands like this. */
export function refusedAction(reason: RefusedAction): ApiProblem {
  const detail = details[reason];
  return new ApiProblem({
    status: 409,
    code: reason,
    title: 'The intent does not stand so that this could be done',
    ...(detail === undefined ? {} : { detail }),
  });
}
