import { type TokenAnswer as TokenFields, tokenAnswerSchema, type TokenForm } from '#contracts';
import type { Clock } from '#platform';
import type { ClientCredentials } from '../gateway-options.js';
import type { HttpResult } from '../http/http-result.js';
import type { HttpTransport } from '../http/http-transport.js';
import { readBody } from '../json/read-body.js';
import { tokenLifetimeFallbackMs, tokenLifetimeMsMax, tokenTimeoutMs } from '../limits.js';
import { parseRetryAfter } from '../wallet/retry-after.js';

/** What asking for a token brought. `reason` is fit for a log. */
export type TokenAnswer =
  | {
      readonly kind: 'token';
      readonly value: string;
      readonly lifetimeMs: number;
      /** Fields that were missing or not as documented; they are done without. */
      readonly shapeAlarms: readonly string[];
    }
  | { readonly kind: 'none'; readonly reason: string; readonly retryAfterMs: number | null };

export interface TokenEndpoint {
  readonly http: HttpTransport;
  readonly clock: Clock;
  readonly authUrl: string;
  readonly scope: string | null;
  readonly readCredentials: () => ClientCredentials | Promise<ClientCredentials>;
}

/** One client-credentials request (partner-api.md section 5). Resolves always. */
export async function requestToken(endpoint: TokenEndpoint): Promise<TokenAnswer> {
  const form = await readForm(endpoint);
  if (form === null) return none('credentials-unreadable');
  const { origin, pathname } = new URL(endpoint.authUrl);
  const result = await endpoint.http.send({
    origin,
    path: `${pathname.replace(/\/+$/, '')}/oauth2/token`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form,
    timeoutMs: tokenTimeoutMs,
  });
  return readAnswer(result, endpoint.clock.now());
}

async function readForm({ readCredentials, scope }: TokenEndpoint): Promise<string | null> {
  try {
    const { clientId, clientSecret } = await readCredentials();
    const form: TokenForm = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    return new URLSearchParams({ ...form, ...(scope !== null && { scope }) }).toString();
  } catch {
    // Deliberately without the cause: a message about a secret's file may quote the secret.
    return null;
  }
}

function readAnswer(result: HttpResult, nowMs: number): TokenAnswer {
  if (result.phase !== 'answered' || result.status === null) return none(result.error ?? 'no-answer');
  if (result.status < 200 || result.status >= 300) {
    return none(`http-${result.status}`, parseRetryAfter(result.headers['retry-after'], nowMs));
  }
  const answer = tokenAnswerSchema.safeParse(readBody(result.body).json);
  if (!answer.success) return none('answer-unreadable');
  return granted(answer.data);
}

function granted({ access_token: value, expires_in: seconds, token_type: type }: TokenFields): TokenAnswer {
  const lifetimeMs = Math.min(seconds === undefined ? tokenLifetimeFallbackMs : seconds * 1000, tokenLifetimeMsMax);
  const shapeAlarms: string[] = [];
  if (seconds === undefined) shapeAlarms.push('expires_in');
  // RFC 6749 section 5.1: the type's case does not matter.
  if (type?.toLowerCase() !== 'bearer') shapeAlarms.push('token_type');
  return { kind: 'token', value, lifetimeMs, shapeAlarms };
}

function none(reason: string, retryAfterMs: number | null = null): TokenAnswer {
  return { kind: 'none', reason, retryAfterMs };
}
