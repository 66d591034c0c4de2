import * as oauth from 'oauth4webapi';

import type { Answer } from '../api/api-types.js';
import { answerLimit, answerLimitText, isLate } from './answer-limit.js';
import { ownKey } from './own-key.js';

/** What the login page is told of the identity provider. */
export type Provider = NonNullable<Answer<'/console'>['oidc']>;

/** What must be known when the provider sends the browser back: kept for that one time, in this tab alone. */
export interface Attempt extends Provider {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where somebody was when they had to sign in. */
  readonly returnTo: string;
}

const keyName = 'sign-in';

/** The page itself: the address that the provider must know. */
const redirectUri = (): string => document.baseURI;

/** Some providers write their name with a slash at its end, and mean the same. */
const plainIssuer = (issuer: string): string => issuer.replace(/\/$/, '');

/** Whoever runs an issuer without encryption, as on this machine, has said so to the daemon. */
const isUnencrypted = (issuer: string): boolean => new URL(issuer).protocol === 'http:';

/** What each request keeps to: a limit of time, no cookies. */
const limits = (issuer: string) => ({
  signal: answerLimit(),
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- a mark that it is meant: see isUnencrypted
  [oauth.allowInsecureRequests]: isUnencrypted(issuer),
  [oauth.customFetch]: async (url: string, init: oauth.CustomFetchOptions<string, URLSearchParams | undefined>) =>
    fetch(url, { ...init, body: init.body ?? null, signal: init.signal ?? null, credentials: 'omit' }),
});

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isOfLibrary = (error: unknown): error is Error =>
  error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError;

/** Words for whoever waits, where it took too long; else the other words. */
function whyNoAnswer(error: unknown, url: string, otherwise: string): Error {
  const helps = 'Sign in again. Where it stays so, sign in with a token, and tell whoever runs the provider.';
  const late = `The identity provider did not answer within ${answerLimitText} at ${url}. ${helps}`;
  return new Error(isLate(error) || isLate(causeOf(error)) ? late : otherwise, { cause: error });
}

function isOtherIssuer(error: unknown): boolean {
  if (!(error instanceof oauth.OperationProcessingError)) return false;
  if (error.code === oauth.JSON_ATTRIBUTE_COMPARISON) return true;
  return error.code === oauth.JWT_CLAIM_COMPARISON && fieldOf(error.cause, 'claim') === 'iss';
}

/** Reads an answer as the issuer's by its name without a slash at the end, else as the one's with it. */
async function readAs<T>(
  issuer: string,
  response: Response,
  read: (issuer: string, response: Response) => Promise<T>,
): Promise<T> {
  const copy = response.clone();
  try {
    return await read(plainIssuer(issuer), response);
  } catch (error) {
    if (!isOtherIssuer(error)) throw error;
    return read(`${plainIssuer(issuer)}/`, copy);
  }
}

async function discover(issuer: string): Promise<oauth.AuthorizationServer> {
  const url = `${plainIssuer(issuer)}/.well-known/openid-configuration`;
  try {
    const response = await oauth.discoveryRequest(new URL(plainIssuer(issuer)), limits(issuer));
    return await readAs(issuer, response, async (name, answer) =>
      oauth.processDiscoveryResponse(new URL(name), answer),
    );
  } catch (error) {
    if (isOtherIssuer(error)) throw new Error('The identity provider says that it is another one.', { cause: error });
    const away = `The identity provider does not answer at ${url}. It may be away, or not let this page ask it (CORS).`;
    throw whyNoAnswer(error, url, away);
  }
}

/** An endpoint that is reached as the issuer itself is: what it says of itself must not lead elsewhere. */
function endpointOf(issuer: string, said: string | undefined): URL | null {
  const url = said === undefined ? null : URL.parse(said);
  if (url === null) return null;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isUnencrypted(issuer)) ? url : null;
}

/** Leaves the page for the provider's: authorization code flow with PKCE (RFC 7636). */
export async function goToProvider(provider: Provider): Promise<void> {
  if (!isSecureContext) throw new Error('Signing in at the identity provider takes https, or localhost.');
  const { authorization_endpoint: endpoint } = await discover(provider.issuer);
  const url = endpointOf(provider.issuer, endpoint);
  if (url === null) throw new Error('The identity provider names no page on which to sign in.');
  const attempt: Attempt = {
    ...provider,
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    returnTo: `${location.origin}${location.pathname}${location.search}`,
  };
  sessionStorage.setItem(ownKey(keyName), JSON.stringify(attempt));
  const query = {
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: redirectUri(),
    scope: provider.scope,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  location.assign(url);
}

/** What was begun in this tab, once; null: nothing by that name. */
export function takeAttempt(state: string | null): Attempt | null {
  const text = sessionStorage.getItem(ownKey(keyName));
  sessionStorage.removeItem(ownKey(keyName));
  const attempt = text === null ? null : (JSON.parse(text) as Attempt);
  return attempt?.state === state ? attempt : null;
}

/** Providers say why in words, or by a name (RFC 6749, 4.1.2.1). */
function refusalOf(answer: URLSearchParams): string {
  const [error, description] = [answer.get('error') ?? 'no code', answer.get('error_description')];
  return `The identity provider did not sign you in: ${description ?? error}`;
}

/** The provider's answer in the address: of this attempt, and of this provider (RFC 9207). */
function checkAnswer(server: oauth.AuthorizationServer, answer: URLSearchParams, attempt: Attempt): URLSearchParams {
  const name = answer.get('iss') ?? server.issuer;
  const issuer = plainIssuer(name) === plainIssuer(server.issuer) ? name : server.issuer;
  try {
    return oauth.validateAuthResponse({ ...server, issuer }, clientOf(attempt), answer, attempt.state);
  } catch (error) {
    throw new Error('Another identity provider answered. Sign in again.', { cause: error });
  }
}

const clientOf = ({ clientId }: Attempt): oauth.Client => ({ client_id: clientId });

/**
 * ID tokens come from the token endpoint itself over TLS, so their signatures need not be checked (OpenID Connect Core,
 * 3.1.3.7): a provider that does not say by which algorithms it signs may use any of these.
 */
const signingAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'Ed25519'];

function withAlgorithms(server: oauth.AuthorizationServer): oauth.AuthorizationServer {
  return { id_token_signing_alg_values_supported: signingAlgorithms, ...server };
}

/** Who may do what, the daemon reads from the access token; the ID token shows that this is the answer to our request. */
async function readTokens(
  server: oauth.AuthorizationServer,
  response: Response,
  attempt: Attempt,
): Promise<oauth.TokenEndpointResponse> {
  const client = clientOf(attempt);
  const expected = { expectedNonce: attempt.nonce, requireIdToken: true };
  const tokens = await readAs(attempt.issuer, response, async (issuer, answer) =>
    oauth.processAuthorizationCodeResponse({ ...withAlgorithms(server), issuer }, client, answer, expected),
  );
  // The library looks at it only where there are several audiences.
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if ((claims?.azp ?? attempt.clientId) === attempt.clientId) return tokens;
  throw new oauth.OperationProcessingError('it was made for another client', { cause: { claims } });
}

const otherAnswer = (why: string): string =>
  `The identity provider answered something that was not asked here, or no longer holds: ${why}. Sign in again.`;

/** What is wrong with an answer that has the form of one; null: it has not. */
function wrongIn(error: Error): string | null {
  if (fieldOf(error.cause, 'claims') !== undefined) return otherAnswer(error.message);
  if (!(error instanceof oauth.OperationProcessingError) || error.code !== oauth.INVALID_RESPONSE) return null;
  const body = fieldOf(error.cause, 'body');
  if (body === undefined) return null;
  if (!isText(fieldOf(body, 'access_token'))) return 'The identity provider gave no access token.';
  return isText(fieldOf(body, 'id_token'))
    ? null
    : 'The identity provider sent no ID token. Does the scope hold openid?';
}

/** Why there are no tokens, in words. */
function whyNoTokens(error: unknown, url: string): Error {
  const ofLibrary = isOfLibrary(error) ? error : null;
  const wrong = ofLibrary === null ? null : wrongIn(ofLibrary);
  if (wrong !== null) return new Error(wrong, { cause: error });
  const why = 'It was used already or is too old, or the provider is away or does not let this page ask it (CORS).';
  const said = ofLibrary === null ? '' : ` (${ofLibrary.message})`;
  return whyNoAnswer(error, url, `The identity provider gave no token for its code${said}. ${why} Sign in again.`);
}

/** What the provider's answer, as it stood in the address, is worth: an access token. */
export async function tokenOfAnswer(answer: URLSearchParams, attempt: Attempt): Promise<string> {
  if (answer.get('code') === null) throw new Error(refusalOf(answer));
  const { issuer, verifier } = attempt;
  const server = await discover(issuer);
  const checked = checkAnswer(server, answer, attempt);
  const url = endpointOf(issuer, server.token_endpoint);
  // Nobody else gets the code: the page's policy lets it ask no other origin either.
  if (url?.origin !== new URL(issuer).origin) {
    throw new Error('The identity provider names no token endpoint of its own origin.');
  }
  const [client, none] = [clientOf(attempt), oauth.None()];
  try {
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, none, checked, redirectUri(), verifier, limits(issuer)] as const),
    );
    return (await readTokens(server, response, attempt)).access_token;
  } catch (error) {
    throw whyNoTokens(error, url.href);
  }
}
