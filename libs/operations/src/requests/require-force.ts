import { mayAct } from '../access/operator.js';
import { ApiProblem } from '../problems/api-problem.js';
import type { Actor } from './actor.js';

function forceNeedsAdmin(): ApiProblem {
  const detail = 'To force what was replayed often without success needs the role admin.';
  return new ApiProblem({ status: 403, code: 'role', title: 'You may not do this', detail });
}

/** Forcing is for admins: asking for it, and starting or letting go on what was forced. @throws {ApiProblem} */
export function requireForce(isForced: boolean, actor: Actor): void {
  if (isForced && !mayAct(actor, 'admin')) throw forceNeedsAdmin();
}
