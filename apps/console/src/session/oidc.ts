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

interface Discovery {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

const keyName = 'sign-in';
const randomBytesCount = 32;

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Some providers write their name with a slash at its end, and mean the same. */
const plainIssuer = (issuer: unknown): string => String(issuer).replace(/\/$/, '');

const random = (): string => base64Url(crypto.getRandomValues(new Uint8Array(randomBytesCount)));

async function challengeOf(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

/** The page itself: the address that the provider must know. */
const redirectUri = (): string => document.baseURI;

/**
 * Null: there is none, or not one that this page may read (CORS), or it is no object.
 *
 * @throws {Error} with words for whoever waits, where it takes too long
 */
async function answerOf<T>(url: string, body: URLSearchParams | null = null): Promise<T | null> {
  const method = body === null ? 'GET' : 'POST';
  try {
    const response = await fetch(url, { method, body, signal: answerLimit(), credentials: 'omit' });
    const answer: unknown = response.ok ? await response.json() : null;
    return typeof answer === 'object' ? (answer as T | null) : null;
  } catch (error) {
    if (!isLate(error)) return null;
    const helps = 'Sign in again. Where it stays so, sign in with a token, and tell whoever runs the provider.';
    throw new Error(`The identity provider did not answer within ${answerLimitText} at ${url}. ${helps}`, {
      cause: error,
    });
  }
}

async function discover(issuer: string): Promise<Discovery> {
  const url = `${plainIssuer(issuer)}/.well-known/openid-configuration`;
  const discovery = await answerOf<Discovery>(url);
  if (discovery === null) {
    throw new Error(
      `The identity provider does not answer at ${url}. It may be away, or not let this page ask it (CORS).`,
    );
  }
  if (plainIssuer(discovery.issuer) !== plainIssuer(issuer)) {
    throw new Error('The identity provider says that it is another one.');
  }
  return discovery;
}

/** Leaves the page for the provider's: authorization code flow with PKCE (RFC 7636). */
export async function goToProvider(provider: Provider): Promise<void> {
  if (!isSecureContext) throw new Error('Signing in at the identity provider takes https, or localhost.');
  const { authorization_endpoint: endpoint } = await discover(provider.issuer);
  const returnTo = `${location.origin}${location.pathname}${location.search}`;
  const attempt: Attempt = { ...provider, state: random(), nonce: random(), verifier: random(), returnTo };
  sessionStorage.setItem(ownKey(keyName), JSON.stringify(attempt));
  const url = new URL(endpoint);
  const query = {
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: redirectUri(),
    scope: provider.scope,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await challengeOf(attempt.verifier),
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

interface IdTokenClaims {
  readonly iss?: unknown;
  readonly aud?: unknown;
  readonly nonce?: unknown;
}

/** Of what is no ID token: none. */
function claimsOf(idToken: string): IdTokenClaims {
  const payload = (idToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  try {
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as IdTokenClaims;
  } catch {
    return {};
  }
}

/**
 * It came from the token endpoint itself over TLS, so its signature need not be checked (OpenID Connect Core, 3.1.3.7);
 * that it is the answer to our very request must be. Who may do what, the daemon reads from the access token.
 */
function checkIdToken(idToken: unknown, { issuer, clientId, nonce }: Attempt): void {
  if (typeof idToken !== 'string') {
    throw new Error('The identity provider sent no ID token. Does the scope hold openid?');
  }
  const claims = claimsOf(idToken);
  const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  if (claims.nonce !== nonce || plainIssuer(claims.iss) !== plainIssuer(issuer) || !audiences.includes(clientId)) {
    throw new Error('The identity provider answered something that was not asked here. Sign in again.');
  }
}

async function exchange(code: string, { issuer, clientId, verifier }: Attempt): Promise<Record<string, unknown>> {
  const { token_endpoint: endpoint } = await discover(issuer);
  const answer = await answerOf<Record<string, unknown>>(
    endpoint,
    new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri(),
      client_id: clientId,
      code_verifier: verifier,
    }),
  );
  if (answer === null) {
    const why = 'It was used already or is too old, or the provider is away or does not let this page ask it (CORS).';
    throw new Error(`The identity provider gave no token for its code. ${why} Sign in again.`);
  }
  return answer;
}

/** Providers say why in words, or by a name (RFC 6749, 4.1.2.1). */
function refusalOf(answer: URLSearchParams): string {
  const [error, description] = [answer.get('error') ?? 'no code', answer.get('error_description')];
  return `The identity provider did not sign you in: ${description ?? error}`;
}

/** What the provider's answer, as it stood in the address, is worth: an access token. */
export async function tokenOfAnswer(answer: URLSearchParams, attempt: Attempt): Promise<string> {
  const code = answer.get('code');
  if (code === null) throw new Error(refusalOf(answer));
  // RFC 9207: an answer of another provider must not be taken to this one.
  if (plainIssuer(answer.get('iss') ?? attempt.issuer) !== plainIssuer(attempt.issuer)) {
    throw new Error('Another identity provider answered.');
  }
  const { access_token: token, id_token: idToken } = await exchange(code, attempt);
  checkIdToken(idToken, attempt);
  if (typeof token !== 'string') throw new Error('The identity provider gave no access token.');
  return token;
}
