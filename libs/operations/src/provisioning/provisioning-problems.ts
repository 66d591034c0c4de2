import { ApiProblem } from '../problems/api-problem.js';

export function noSuchProgram(): ApiProblem {
  const title = 'The programs file has no such program';
  return new ApiProblem({ status: 422, code: 'no-such-program', title });
}

export function noSuchStep(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-step', title: 'There is no such step' });
}

export function stepNotInDoubt(state: string): ApiProblem {
  const title = 'The step is not in doubt';
  return new ApiProblem({ status: 409, code: 'step-not-in-doubt', title, detail: `It is ${state}.` });
}

export function idNeeded(): ApiProblem {
  const detail = "A brand attribute is changed by its id: say the partner's id of it as `partnerId`.";
  return new ApiProblem({ status: 422, code: 'partner-id-needed', title: 'Its id is needed', detail });
}
