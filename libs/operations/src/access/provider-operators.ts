import { errors } from 'jose';

import { ApiProblem } from '../problems/api-problem.js';
import type { Claims, IdentityProviderOptions } from './identity-provider.js';
import { IdentityProvider, ProviderAwayError } from './identity-provider.js';
import type { Operator, Role } from './operator.js';

/** Of a person's name in the audit, in characters. */
export const nameLengthMax = 100;
/** Names of claims have dots themselves (`https://example.org/roles`); a path with more parts is not looked through. */
export const pathPartsMax = 20;

const rolesFromHighest: readonly Role[] = ['admin', 'operator', 'viewer'];
const nameClaims = ['preferred_username', 'email', 'sub'];

function isRecord(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of names joined by dots; a name that has dots itself is found as a whole. */
function valueAt(claims: unknown, names: readonly string[]): unknown {
  if (names.length === 0) return claims;
  if (!isRecord(claims)) return undefined;
  for (let taken = names.length; taken > 0; taken -= 1) {
    const name = names.slice(0, taken).join('.');
    const value = Object.hasOwn(claims, name) ? valueAt(claims[name], names.slice(taken)) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(/[\s,]+/);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The highest role that the claim holds, as a text or in a list; null where it holds none. */
export function roleOf(claims: Claims, roleClaim: string): Role | null {
  const names = roleClaim.split('.');
  const held = names.length > pathPartsMax ? [] : textsOf(valueAt(claims, names));
  return rolesFromHighest.find((role) => held.includes(role)) ?? null;
}

/** One line of visible characters. */
function plainText(value: unknown): string {
  if (typeof value !== 'string') return '';
  const visible = value.slice(0, 10 * nameLengthMax).replace(/[\p{C}\p{Z}]+/gu, ' ');
  return Array.from(visible.trim()).slice(0, nameLengthMax).join('').trim();
}

/** What the person is called in the audit; null where the token names nobody. */
export function nameOf(claims: Claims): string | null {
  return nameClaims.map((claim) => plainText(claims[claim])).find((name) => name !== '') ?? null;
}

/** Until when the token lets its bearer in, epoch ms. */
export function endOf({ exp }: Claims): Pick<Operator, 'until'> {
  return typeof exp === 'number' ? { until: exp * 1_000 } : {};
}

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
