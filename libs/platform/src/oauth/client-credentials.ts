import type { PostAnswer } from '../post-once.js';
import { NoAnswerError, postOnce } from '../post-once.js';
import type { TokenAnswer, TokenRequests } from './access-tokens.js';
import { tokenLifetimeMs } from './access-tokens.js';

/** The credentials of an OAuth 2.0 client, and what it asks for. */
export interface ClientCredentialsSettings {
  /** The whole address of the token endpoint. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | null;
  readonly audience: string | null;
  /** How the client says who it is: HTTP Basic (RFC 6749, section 2.3.1), or fields of the form. */
  readonly authenticateBy: 'basic' | 'form';
  /** Authorities in PEM in place of the public ones. */
  readonly ca: string | null;
  /** Of us, in PEM; both or neither. */
  readonly cert?: string | null;
  readonly key?: string | null;
  /** Of one request, from connecting to its answer. */
  readonly timeoutMs: number;
}

/** A token endpoint asked by client credentials (RFC 6749, section 4.4). No reason quotes an answer. */
export class ClientCredentials implements TokenRequests {
  /** @param settings asked before each request: secrets and authorities are renewed while the process runs */
  constructor(private readonly settings: () => ClientCredentialsSettings) {}

  async request(): Promise<TokenAnswer> {
    const settings = this.settings();
    const { url, ca, cert = null, key = null, timeoutMs } = settings;
    const asked = { url, headers: headersOf(settings), body: formOf(settings), ca, cert, key, timeoutMs };
    try {
      return readAnswer(await postOnce(asked));
    } catch (error) {
      if (error instanceof NoAnswerError) return { kind: 'none', reason: error.reason, retryAfterMs: null };
      throw error;
    }
  }
}

function headersOf({ authenticateBy, clientId, clientSecret }: ClientCredentialsSettings): Record<string, string> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  return authenticateBy === 'form' ? headers : { ...headers, authorization: basicLogin(clientId, clientSecret) };
}

/** Each part is form-encoded first (RFC 6749, section 2.3.1): a secret may hold a colon. */
export function basicLogin(clientId: string, clientSecret: string): string {
  const encoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`, 'utf8').toString('base64')}`;
}

function formOf(settings: ClientCredentialsSettings): string {
  const { authenticateBy, clientId, clientSecret, scope, audience } = settings;
  return new URLSearchParams({
    grant_type: 'client_credentials',
    ...(authenticateBy === 'form' && { client_id: clientId, client_secret: clientSecret }),
    ...(scope !== null && { scope }),
    ...(audience !== null && { audience }),
  }).toString();
}

/** It goes into a header, or into what SASL separates by control characters. */
const tokenPattern = /^[!-~]{1,16384}$/;
const secondsPattern = /^\d{1,12}(?:\.\d+)?$/;

function readAnswer({ status, headers, text }: PostAnswer): TokenAnswer {
  if (status < 200 || status >= 300) {
    return { kind: 'none', reason: `http-${status}`, retryAfterMs: retryAfterMsOf(headers['retry-after']) };
  }
  const fields = objectIn(text);
  const value = fields?.['access_token'];
  if (typeof value !== 'string' || !tokenPattern.test(value)) {
    return { kind: 'none', reason: 'answer-unreadable', retryAfterMs: null };
  }
  const seconds = String(fields?.['expires_in']);
  const isTold = secondsPattern.test(seconds) && Number(seconds) > 0;
  const shapeAlarms = isTold ? [] : ['expires_in'];
  return { kind: 'token', value, lifetimeMs: tokenLifetimeMs(isTold ? Number(seconds) : null), shapeAlarms };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const retryAfterSecondsMax = 300;

/** Seconds alone: an endpoint that says a date is asked as if it had said nothing. */
function retryAfterMsOf(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string' || !/^\d{1,9}$/.test(header)) return null;
  return Math.min(Number(header), retryAfterSecondsMax) * 1_000;
}
