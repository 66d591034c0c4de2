import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';

import type { OperatorToken } from '#contracts';
import type { ActingRole, AuditContext, RefusedAction } from '#intents';
import type { Clock } from '#platform';

import { ApiProblem } from '../problems/api-problem.js';
import { refuseRequest } from '../requests/read-request.js';
import type { ProgramRule } from './route-rules.js';

/** What an operator may do: read, act, or also see personal data and force. Each role includes the ones before it. */
export type Role = OperatorToken['role'];

/** The programs that an operator may see; null: all. */
export type ProgramLimit = readonly string[] | null;

/** Who writes events at the door; may do nothing else. */
export interface Producer {
  readonly name: string;
  /** The sources that it speaks for. */
  readonly sources: readonly string[];
  /** Null: all that its sources may say. */
  readonly types: readonly string[] | null;
}

/** Who makes a request; stands in every action's event. */
export interface Operator {
  readonly name: string;
  readonly role: Role;
  readonly programs: ProgramLimit;
  /** Who that is for good, whatever the name: issuer and `sub` of their token; absent: it is one of `OPS_TOKENS`. */
  readonly subject?: string;
  /** When the token ends that let them in, epoch ms; absent: never. */
  readonly until?: number;
  /** Whether that token still lets them in; absent: for as long as `until` says. */
  readonly isStillIn?: () => boolean;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

export function mayAct({ role }: Pick<Operator, 'role'>, needed: Role): boolean {
  return ranks[role] >= ranks[needed];
}

export function forbidden(code: string, detail: string): ApiProblem {
  return new ApiProblem({ status: 403, code, title: 'You may not do this', detail });
}

/** What a route asks of who sends it. */
interface NeededAccess {
  readonly role: Role;
  readonly programs: ProgramRule;
}

/** @throws {ApiProblem} where the operator's role, their programs, or the whole installation do not allow it */
export function authorize(
  operator: Operator,
  { role, programs }: NeededAccess,
  { isReadOnly }: { readonly isReadOnly: boolean },
): void {
  if (!mayAct(operator, role)) throw forbidden('role', `This needs the role ${role}.`);
  if (operator.programs !== null && programs === 'whole') {
    const detail = `This is about all programs at once. Your token is limited to ${operator.programs.join(', ')}.`;
    throw forbidden('limited-to-programs', detail);
  }
  if (isReadOnly && role !== 'viewer') {
    throw forbidden('read-only', 'This installation is read-only (OPS_READ_ONLY).');
  }
}

/** Whether an operator may see what belongs to that program. @param program null: to none, to several or to all */
export function maySee(limit: ProgramLimit, program: string | null): boolean {
  return limit === null || (program !== null && limit.includes(program));
}

/** The same in SQL: whether a row is of one of the programs in the parameter, null: all. */
export const isOfPrograms = (parameter: string): string =>
  `(${parameter}::text[] IS NULL OR program_id = ANY (${parameter}::text[]))`;

/**
 * The program that a request means: the one that it names, or else the only one that who asks is limited to. What they may
 * not know of is answered like what is not there.
 * @throws {ApiProblem}
 */
export function programMeant(limit: ProgramLimit, named: string | undefined): string | undefined {
  if (limit === null) return named;
  if (named === undefined && limit.length !== 1) {
    refuseRequest(`program: name one; your token is limited to ${limit.join(', ')}`);
  }
  const [program = null] = named === undefined ? limit : [named];
  if (program !== null && maySee(limit, program)) return program;
  throw new ApiProblem({ status: 404, code: 'no-such-program', title: 'There is no such program' });
}

/** Who makes the request, and from where. */
export interface Actor extends Operator {
  readonly address: string;
  readonly requestId?: string;
}

/** A request that the guard let in. */
export interface AdmittedRequest {
  readonly id: string;
  operator?: Operator;
  /** Instead of an operator, where the route lets one in. */
  producer?: Producer;
  /** From where it comes, past the proxies that are trusted. */
  address?: string;
}

/** The operator that the guard let in. Only for routes that need a role. */
export function actorOf(context: ExecutionContext): Actor {
  const { operator, address, id: requestId } = context.switchToHttp().getRequest<AdmittedRequest>();
  if (operator === undefined || address === undefined) throw new Error('a route without a role asked who acts');
  return { ...operator, address, requestId };
}

export const ByActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => actorOf(context));

/** The producer that was let in; null: an operator was. */
export const ByProducer = createParamDecorator((_data: unknown, context: ExecutionContext): Producer | null => {
  return context.switchToHttp().getRequest<AdmittedRequest>().producer ?? null;
});

/** The operator that was let in; null: a producer was. */
export const ByOperator = createParamDecorator((_data: unknown, context: ExecutionContext): Operator | null => {
  return context.switchToHttp().getRequest<AdmittedRequest>().operator ?? null;
});

/** What an actor says, for the record. */
export function auditContextOf(actor: Actor, reason: string, clock: Clock): AuditContext {
  const { name, role, address, subject, requestId, programs } = actor;
  return {
    ...{ at: clock.now(), actor: name, role, address, reason },
    ...(programs === null ? {} : { limitedTo: programs }),
    ...(subject === undefined ? {} : { subject }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function adminNeeded(detail: string, code = 'role'): ApiProblem {
  return new ApiProblem({ status: 403, code, title: 'You may not do this', detail });
}

/** The role that is kept with what an operator has stored. Only for routes that viewers cannot reach. */
export function actingRole(actor: Actor): ActingRole {
  return mayAct(actor, 'admin') ? 'admin' : 'operator';
}

/** Forcing is for admins: asking for it, and starting or letting go on what was forced. @throws {ApiProblem} */
export function requireForce(isForced: boolean, actor: Actor): void {
  if (!isForced || mayAct(actor, 'admin')) return;
  throw adminNeeded('To force what was replayed often without success needs the role admin.');
}

/** @param paths of what takes an admin @throws {ApiProblem} that names them, and no value */
export function requireAdminFor(paths: readonly string[], actor: Pick<Operator, 'role'>): void {
  if (paths.length === 0 || mayAct(actor, 'admin')) return;
  // A code of its own: another record, or another correction of it, may be an operator's.
  throw adminNeeded(`This needs the role admin, because of ${paths.join(', ')}.`, 'needs-admin');
}

/** Every operator may pause; other changes of stored work need the role of the one who asked for it. @throws {ApiProblem} */
export function requireRoleOf({ needsRole }: { readonly needsRole: ActingRole }, actor: Actor): void {
  if (mayAct(actor, needsRole)) return;
  throw adminNeeded('An admin has asked for it: to start, resume or cancel it needs the role admin. You may pause it.');
}

/** @throws {ApiProblem} where it was refused because an admin has decided otherwise */
export function refuseUndoing(reason: RefusedAction): void {
  if (reason !== 'decided-by-admin') return;
  throw adminNeeded('An admin has corrected it, taken it in or forced it: to give it up needs the role admin.');
}
