import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Controller, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import { AccessSettings } from './access-settings.js';
import { unauthorized } from './authenticator.js';
import type { AdmittedRequest } from './operator.js';
import { authorize } from './operator.js';
import { routeMetadata, rulesFor } from './route-rules.js';

/** Below this path lies everything but probes, metrics and the description of the API. */
export const apiPath = 'api/v1';

/**
 * Before every handler of every module: holds whom the front door let in against the role that stands at the handler.
 * A request that did not pass admission is refused; so is one for a handler that names no role.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly settings: AccessSettings,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const said = this.reflector.get<object | undefined>(routeMetadata, context.getHandler());
    const { role, programs, producersToo } = rulesFor(said, this.settings);
    if (role === null) return true;
    const { operator, producer } = context.switchToHttp().getRequest<AdmittedRequest>();
    if (producer !== undefined && (role === 'producer' || producersToo === true)) return true;
    if (operator === undefined || role === 'producer') throw unauthorized();
    authorize(operator, { role, programs }, this.settings);
    return true;
  }
}

/** A controller of the operations API. */
export const ApiController = (path: string): ClassDecorator => Controller(`${apiPath}/${path}`);
