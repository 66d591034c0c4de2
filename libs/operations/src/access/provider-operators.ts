import { errors } from 'jose';

import { ApiProblem } from '../problems/api-problem.js';
import type { Claims, IdentityProviderOptions, VerifiedToken } from './identity-provider.js';
import { IdentityProvider, ProviderAwayError } from './identity-provider.js';
import type { Operator, ProgramLimit, Role } from './operator.js';

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

function claimed(claims: Claims, claim: string): unknown {
  const names = claim.split('.');
  return names.length > pathPartsMax ? undefined : valueAt(claims, names);
}

/**
 * The highest role that the claim holds; null where it holds none. A text is one name, whole: `super admin` is no admin. A list
 * is several.
 */
export function roleOf(claims: Claims, roleClaim: string): Role | null {
  const held = [claimed(claims, roleClaim)].flat();
  return rolesFromHighest.find((role) => held.includes(role)) ?? null;
}

/** In the claim of programs: all of them. */
const everyProgram = '*';

/**
 * The programs that the claim names: a text is one name, for names have spaces and commas themselves; a list is several.
 * Whatever else it holds names none: then nothing of it counts. Without such a claim there is no limit.
 */
export function programsOf(claims: Claims, programsClaim: string | null): ProgramLimit {
  if (programsClaim === null) return null;
  const held = [claimed(claims, programsClaim)].flat();
  const names = held.filter((name) => typeof name === 'string' && name !== '') as string[];
  if (names.length < held.length) return [];
  return names.includes(everyProgram) ? null : [...new Set(names)];
}

/** One line of visible characters. */
function plainText(value: unknown): string {
  if (typeof value !== 'string') return '';
  const visible = value.slice(0, 10 * nameLengthMax).replace(/[\p{C}\p{Z}]+/gu, ' ');
  return Array.from(visible.trim()).slice(0, nameLengthMax).join('').trim();
}

/** The person's name in the audit; null where the token holds none. */
export function nameOf(claims: Claims): string | null {
  return nameClaims.map((claim) => plainText(claims[claim])).find((name) => name !== '') ?? null;
}

/** Until when the token lets its bearer in, epoch ms. */
export function endOf({ exp }: Claims): Pick<Operator, 'until'> {
  return typeof exp === 'number' ? { until: exp * 1_000 } : {};
}

/**
 * What providers write into the header of an access token: RFC 9068's own type, the plain one, or none. Tokens with another
 * one (`logout+jwt`, `dpop+jwt`, ...) mean something else than a permission.
 */
const accessTypes = ['at+jwt', 'jwt', ''];
/** What providers write into its claims: Keycloak into `typ`, Cognito into `token_use`. */
const accessUses = ['bearer', 'access'];
const otherUses = ['id', 'refresh', 'offline', 'logout', 'dpop'];
/** Only tokens that tell who has logged in carry these; Keycloak before 25 wrote `nonce` into others, too, as `Bearer`. */
const idTokenClaims = ['nonce', 'at_hash', 'c_hash'];

const lowerCase = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');

/** Whether a token was made to be shown to services: an ID token, which clients keep and log, is refused. */
function isAccessToken({ type, claims }: VerifiedToken): boolean {
  const typeName = lowerCase(type).replace(/^application\//, '');
  if (!accessTypes.includes(typeName)) return false;
  const uses = [lowerCase(claims['typ']), lowerCase(claims['token_use'])];
  if (uses.some((use) => otherUses.includes(use))) return false;
  if (typeName === 'at+jwt' || uses.some((use) => accessUses.includes(use))) return true;
  return !idTokenClaims.some((claim) => claim in claims);
}

/** Who was given the token: `azp`, Entra ID's `appid` (v1), Okta's `cid`, RFC 9068's `client_id`. */
const clientClaims = ['azp', 'client_id', 'cid', 'appid'];

/** @param clients ids of those that are allowed; empty: any */
function isOfClient(claims: Claims, clients: readonly string[]): boolean {
  const client = clientClaims.map((claim) => claims[claim]).find((value) => value !== undefined);
  return clients.length === 0 || (typeof client === 'string' && clients.includes(client));
}

/** OpenID Connect Core 1.0, section 2: no more than 255 characters. */
const subject = /^[^\p{C}]{1,255}$/u;

/** Who the token is about, for good: its issuer, a space, and `sub`; null where it does not say. */
function subjectOf({ iss, sub }: Claims): string | null {
  return typeof iss === 'string' && typeof sub === 'string' && subject.test(sub) ? `${iss} ${sub}` : null;
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

function withoutPrograms(programsClaim: string | null): ApiProblem {
  const detail = `Its claim ${programsClaim} names no program.`;
  return new ApiProblem({ status: 403, code: 'no-programs', title: 'The token names no program', detail });
}

/** The provider has issued it: it is no guess. */
function refused(detail: string): ProviderVerdict {
  return { kind: 'refused', detail, isGuess: false };
}

/** A signature is looked at before the times are: who kept an old token guesses nothing. */
function refusalOf(error: errors.JOSEError): ProviderVerdict {
  return error instanceof errors.JWTExpired
    ? refused('The token has expired.')
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

  /** @throws {ApiProblem} where the provider is away, or has given its bearer no role or no program */
  async judge(token: string): Promise<ProviderVerdict> {
    try {
      return this.admit(await this.provider.verify(token));
    } catch (error) {
      if (error instanceof ProviderAwayError) throw unavailable(error);
      if (error instanceof errors.JOSEError) return refusalOf(error);
      throw error;
    }
  }

  private admit(token: VerifiedToken): ProviderVerdict {
    const { claims } = token;
    const { roleClaim, programsClaim, clients } = this.options;
    if (!isAccessToken(token)) return refused('This is no access token.');
    if (!isOfClient(claims, clients)) return refused('The token was given to a client not in OPS_OIDC_CLIENTS.');
    const [name, who] = [nameOf(claims), subjectOf(claims)];
    if (name === null || who === null) return refused('The token names nobody.');
    const role = roleOf(claims, roleClaim);
    if (role === null) throw withoutRole(roleClaim);
    const programs = programsOf(claims, programsClaim);
    if (programs?.length === 0) throw withoutPrograms(programsClaim);
    return { kind: 'admitted', operator: { name, role, programs, subject: who, ...endOf(claims) } };
  }
}
