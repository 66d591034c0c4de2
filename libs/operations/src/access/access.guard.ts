import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import type { AdmittedRequest } from '../requests/actor.js';
import { unauthorized } from './authenticator.js';
import { NEEDED_ROLE } from './needs.js';
import type { Role } from './operator.js';
import { authorize } from './operator.js';

/**
 * Holds whom the front door let in against the role that the route needs, a viewer's unless it says otherwise. Where no
 * front door was, nobody was let in.
 */
@Injectable()
export class AccessGuard implements CanActivate {
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
