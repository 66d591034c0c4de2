import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import { ApiProblem } from '../problems/api-problem.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import type { AdmittedRequest } from '../requests/actor.js';
import { FailedLogins } from './failed-logins.js';
import { NEEDED_ROLE } from './needs.js';
import type { ProviderVerdict } from './oidc/provider-operators.js';
import { ProviderOperators } from './oidc/provider-operators.js';
import type { Operator, Role } from './operator.js';
import { mayAct } from './operator.js';
import { TokenBook } from './token-book.js';

/** The part of the HTTP request that is needed here, whatever the server. */
interface Request extends AdmittedRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Tokens of an identity provider that lists many groups are long. */
const bearer = /^Bearer +([\w~+/.=-]{1,8192})$/i;

const unknownToken: ProviderVerdict = { kind: 'refused', detail: 'The token is not known.', isGuess: true };

function unauthorized(detail: string): ApiProblem {
  const headers = { 'www-authenticate': 'Bearer realm="loyaltyd"' };
  return new ApiProblem({ status: 401, code: 'unauthorized', title: 'Who are you?', detail, headers });
}

function forbidden(code: string, detail: string): ApiProblem {
  return new ApiProblem({ status: 403, code, title: 'You may not do this', detail });
}

function tooManyFailures(waitMs: number): ApiProblem {
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1_000)) };
  const detail = 'Too many wrong tokens came from this address.';
  return new ApiProblem({ status: 429, code: 'too-many-failures', title: 'Wait a moment', detail, headers });
}

/**
 * Lets in who carries a token of `OPS_TOKENS` or of the identity provider with the role that the route needs, a viewer's
 * unless it says otherwise.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly tokens: TokenBook;
  private readonly provider: ProviderOperators | null;
  private readonly failures: FailedLogins;

  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {
    const { clock, oidc } = settings;
    this.tokens = new TokenBook(settings.tokens);
    this.provider = oidc === null ? null : new ProviderOperators({ ...oidc, clock });
    this.failures = new FailedLogins(clock);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = [context.getHandler(), context.getClass()];
    const needed = this.reflector.getAllAndOverride<Role | null | undefined>(NEEDED_ROLE, route);
    if (needed === null) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const operator = await this.authenticate(request);
    this.authorize(operator, needed ?? 'viewer');
    request.operator = operator;
    return true;
  }

  private async authenticate({ ip, headers }: Request): Promise<Operator> {
    const waitMs = this.failures.waitMs(ip);
    if (waitMs > 0) throw tooManyFailures(waitMs);
    const { authorization } = headers;
    if (authorization === undefined) throw unauthorized('Send a token: Authorization: Bearer TOKEN');
    const token = typeof authorization === 'string' ? bearer.exec(authorization)?.[1] : undefined;
    const verdict = token === undefined ? unknownToken : await this.judge(token);
    if (verdict.kind === 'admitted') return verdict.operator;
    if (verdict.isGuess) this.failures.failed(ip);
    throw unauthorized(verdict.detail);
  }

  private async judge(token: string): Promise<ProviderVerdict> {
    const operator = this.tokens.operatorOf(token);
    if (operator !== null) return { kind: 'admitted', operator };
    const { provider } = this;
    if (provider?.isWellFormed(token) === true) return provider.judge(token);
    return unknownToken;
  }

  private authorize(operator: Operator, needed: Role): void {
    if (!mayAct(operator, needed)) throw forbidden('role', `This needs the role ${needed}.`);
    if (this.settings.isReadOnly && needed !== 'viewer') {
      throw forbidden('read-only', 'This installation is read-only (OPS_READ_ONLY).');
    }
  }
}
