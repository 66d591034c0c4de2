import type { OperatorToken } from '#contracts';

import { ApiProblem } from '../problems/api-problem.js';

/** What somebody may do: read, act, or also see personal data and force. Each may all that the ones before it may. */
export type Role = OperatorToken['role'];

/** Who makes a request; stands in every action's event. */
export interface Operator {
  readonly name: string;
  readonly role: Role;
  /** When the token ends that let them in, epoch ms; absent: never. */
  readonly until?: number;
  /** Whether that token still lets them in; absent: for as long as `until` says. */
  readonly isStillIn?: () => boolean;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

export function mayAct(operator: Operator, needed: Role): boolean {
  return ranks[operator.role] >= ranks[needed];
}

function forbidden(code: string, detail: string): ApiProblem {
  return new ApiProblem({ status: 403, code, title: 'You may not do this', detail });
}

/** @throws {ApiProblem} where the operator's role, or the whole installation, does not allow it */
export function authorize(operator: Operator, needed: Role, { isReadOnly }: { readonly isReadOnly: boolean }): void {
  if (!mayAct(operator, needed)) throw forbidden('role', `This needs the role ${needed}.`);
  if (isReadOnly && needed !== 'viewer') {
    throw forbidden('read-only', 'This installation is read-only (OPS_READ_ONLY).');
  }
}
