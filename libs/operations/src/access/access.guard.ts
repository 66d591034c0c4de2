import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Controller, Inject, Injectable } from '@nestjs/common';

import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { unauthorized } from './authenticator.js';
import type { AdmittedRequest } from './operator.js';
import { authorize } from './operator.js';
import { apiPath, contractFor } from './route-contracts.js';

interface RoutedRequest extends AdmittedRequest {
  readonly method: string;
  readonly routeOptions: { readonly url?: string | undefined };
}

/**
 * Before every handler of every module: holds whom the front door let in against the role that the route's contract asks
 * for. Where no front door was, nobody was let in; a route that is not declared is nobody's.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RoutedRequest>();
    const { role, programs } = contractFor(request, this.settings);
    if (role === null) return true;
    if (request.operator === undefined) throw unauthorized();
    authorize(request.operator, { role, programs }, this.settings);
    return true;
  }
}

/** A controller of the operations API. */
export const ApiController = (path: string): ClassDecorator => Controller(`${apiPath}/${path}`);
