import type { ActingRole, RefusedAction } from '#intents';

import { mayAct } from '../access/operator.js';
import { ApiProblem } from '../problems/api-problem.js';
import type { Actor } from '../requests/actor.js';

function adminNeeded(detail: string, code = 'role'): ApiProblem {
  return new ApiProblem({ status: 403, code, title: 'You may not do this', detail });
}

/** The role that is kept with what somebody has stored. Only for routes that viewers cannot reach. */
export function actingRole(actor: Actor): ActingRole {
  return mayAct(actor, 'admin') ? 'admin' : 'operator';
}

/** Forcing is for admins: asking for it, and starting or letting go on what was forced. @throws {ApiProblem} */
export function requireForce(isForced: boolean, actor: Actor): void {
  if (!isForced || mayAct(actor, 'admin')) return;
  throw adminNeeded('To force what was replayed often without success needs the role admin.');
}

/** @param paths of what takes an admin @throws {ApiProblem} that names them, and no value */
export function requireAdminFor(paths: readonly string[], actor: Actor): void {
  if (paths.length === 0 || mayAct(actor, 'admin')) return;
  // A code of its own: another record, or another correction of it, may be an operator's.
  throw adminNeeded(`This needs the role admin, because of ${paths.join(', ')}.`, 'needs-admin');
}

/** Whoever acts may pause; what else is done to stored work needs the role of who had it done. @throws {ApiProblem} */
export function requireRoleOf({ needsRole }: { readonly needsRole: ActingRole }, actor: Actor): void {
  if (mayAct(actor, needsRole)) return;
  throw adminNeeded('An admin has asked for it: to start, resume or cancel it needs the role admin. You may pause it.');
}

/** @throws {ApiProblem} where it was refused because an admin has decided otherwise */
export function refuseUndoing(reason: RefusedAction): void {
  if (reason !== 'decided-by-admin') return;
  throw adminNeeded('An admin has corrected it, taken it in or forced it: to give it up needs the role admin.');
}
