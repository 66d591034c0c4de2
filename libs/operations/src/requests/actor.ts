import type { ExecutionContext } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';

import type { OperatorWord } from '#intents';
import type { Clock } from '#platform';

import type { Operator } from '../access/operator.js';

/** Who makes the request, and from where. */
export interface Actor extends Operator {
  readonly address: string;
}

/** A request that the guard let in. */
export interface AdmittedRequest {
  readonly ip: string;
  operator?: Operator;
}

/** The operator that the guard let in. Only for routes that need a role. */
export function actorOf(context: ExecutionContext): Actor {
  const { operator, ip } = context.switchToHttp().getRequest<AdmittedRequest>();
  if (operator === undefined) throw new Error('a route without a role asked who acts');
  return { ...operator, address: ip };
}

export const ByActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => actorOf(context));

/** What an actor says, for the record. */
export function wordOf({ name, address }: Actor, reason: string, clock: Clock): OperatorWord {
  return { at: clock.now(), actor: name, address, reason };
}
