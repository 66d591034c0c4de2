import { errors } from 'jose';

import { ApiProblem } from '../../problems/api-problem.js';
import type { Operator } from '../operator.js';
import type { IdentityProviderOptions } from './identity-provider.js';
import { IdentityProvider } from './identity-provider.js';
import { ProviderAwayError } from './provider-away-error.js';
import type { Claims } from './read-claims.js';
import { endOf, nameOf, roleOf } from './read-claims.js';

/** Three parts in base64url: anything else is no token of an identity provider, and costs it nothing. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** `isGuess` false: the provider has made the token, but it does not let anybody in now. */
export type ProviderVerdict =
  | { readonly kind: 'admitted'; readonly operator: Operator }
  | { readonly kind: 'refused'; readonly detail: string; readonly isGuess: boolean };

function unavailable({ retryAfterMs }: ProviderAwayError): ApiProblem {
  return new ApiProblem({
    status: 503,
    code: 'identity-provider-unavailable',
    title: 'The identity provider does not answer',
    detail: 'Whose token this is cannot be told until it does. Tokens of OPS_TOKENS work meanwhile.',
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) },
  });
}

function withoutRole(roleClaim: string): ApiProblem {
  const detail = `Its claim ${roleClaim} holds none of viewer, operator and admin.`;
  return new ApiProblem({ status: 403, code: 'no-role', title: 'The token carries no role', detail });
}

/** A signature is looked at before the times are: who kept an old token guesses nothing. */
function refusalOf(error: errors.JOSEError): ProviderVerdict {
  return error instanceof errors.JWTExpired
    ? { kind: 'refused', detail: 'The token has expired.', isGuess: false }
    : { kind: 'refused', detail: 'The token is not valid.', isGuess: true };
}

/** Who the tokens of an identity provider belong to. */
export class ProviderOperators {
  private readonly provider: IdentityProvider;

  constructor(private readonly options: IdentityProviderOptions) {
    this.provider = new IdentityProvider(options);
  }

  isWellFormed(token: string): boolean {
    return compactForm.test(token);
  }

  /** @throws {ApiProblem} where the provider is away, or has given its bearer no role */
  async judge(token: string): Promise<ProviderVerdict> {
    try {
      return this.admit(await this.provider.verify(token));
    } catch (error) {
      if (error instanceof ProviderAwayError) throw unavailable(error);
      if (error instanceof errors.JOSEError) return refusalOf(error);
      throw error;
    }
  }

  private admit(claims: Claims): ProviderVerdict {
    const { roleClaim } = this.options;
    const name = nameOf(claims);
    if (name === null) return { kind: 'refused', detail: 'The token names nobody.', isGuess: false };
    const role = roleOf(claims, roleClaim);
    if (role === null) throw withoutRole(roleClaim);
    return { kind: 'admitted', operator: { name, role, ...endOf(claims) } };
  }
}
