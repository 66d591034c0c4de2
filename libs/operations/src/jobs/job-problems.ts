import type { JobState } from '#intents';

import { ApiProblem } from '../problems/api-problem.js';

export function noSuchJob(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-job', title: 'There is no such job' });
}

export function jobStandsOtherwise(state: JobState): ApiProblem {
  const title = 'The job does not stand so that this could be done';
  return new ApiProblem({ status: 409, code: 'job-state', title, detail: `It is ${state}.` });
}

export function idTaken(): ApiProblem {
  const detail = 'The id belongs to a job that was asked for otherwise. Ask with an id of its own.';
  return new ApiProblem({ status: 409, code: 'id-taken', title: 'The id is taken', detail });
}
