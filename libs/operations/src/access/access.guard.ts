import type { CanActivate, CustomDecorator, ExecutionContext } from '@nestjs/common';
import { applyDecorators, Controller, Inject, Injectable, SetMetadata, UseGuards } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { unauthorized } from './authenticator.js';
import type { AdmittedRequest, Role } from './operator.js';
import { authorize } from './operator.js';

const NEEDED_ROLE = Symbol('NeededRole');

/** The role that a route needs; null: anybody may, without a token. */
export const Needs = (role: Role | null): CustomDecorator<symbol> => SetMetadata(NEEDED_ROLE, role);

/**
 * Holds whom the front door let in against the role that the route needs, a viewer's unless it says otherwise. Where no
 * front door was, nobody was let in.
 */
@Injectable()
class AccessGuard implements CanActivate {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const route = [context.getHandler(), context.getClass()];
    const needed = this.reflector.getAllAndOverride<Role | null | undefined>(NEEDED_ROLE, route);
    if (needed === null) return true;
    const { operator } = context.switchToHttp().getRequest<AdmittedRequest>();
    if (operator === undefined) throw unauthorized();
    authorize(operator, needed ?? 'viewer', this.settings);
    return true;
  }
}

/** Below this path lies everything but probes and metrics. */
export const apiPath = 'api/v1';

/** A controller of the operations API: nobody gets past the guard. */
export const ApiController = (path: string): ClassDecorator =>
  applyDecorators(Controller(`${apiPath}/${path}`), UseGuards(AccessGuard));
