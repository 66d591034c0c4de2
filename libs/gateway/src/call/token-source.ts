import { Inject, Injectable } from '@nestjs/common';
import { type TokenAnswer as TokenFields, tokenAnswerSchema } from '#contracts';
import { AccessTokens, basicLogin, type Clock, type TokenAnswer, tokenLifetimeMs, type TokenRequests } from '#platform';
import type { Dialect } from '../dialect/dialect-schema.js';
import { type ClientCredentials, GATEWAY_OPTIONS, type GatewayOptions } from '../gateway-options.js';
import { tokenTimeoutMs } from '../limits.js';
import type { TokenCheck, TokenReport } from '../partner.js';
import type { CallOptions } from '../port/call.js';
import { readBody } from './answer-body.js';
import { PartnerWire } from './connections.js';
import { acceptHeaders, type HttpResult } from './http-exchange.js';
import { valueAt } from './read-refusal.js';
import { retryAfterMsOf } from './retry-after.js';

type EndpointOptions = Pick<
  GatewayOptions,
  'clock' | 'authUrl' | 'scope' | 'readCredentials' | 'dialects' | 'tokenHeaders'
>;
type TokenDialect = Dialect['token'];

/** The partner's token endpoint. Its requests hold the client's secret, so they go past axios and all interceptors. */
@Injectable()
export class TokenEndpoint implements TokenRequests {
  private readonly origin: string;
  private readonly basePath: string;

  /** @throws TypeError when its address is no URL */
  constructor(
    private readonly wire: PartnerWire,
    @Inject(GATEWAY_OPTIONS) private readonly options: EndpointOptions,
  ) {
    const { origin, pathname } = new URL(options.authUrl);
    this.origin = origin;
    this.basePath = pathname.replace(/\/+$/, '');
  }

  /** One client-credentials request (partner-api.md section 5), as the dialect words it. Resolves always. */
  async request(): Promise<TokenAnswer> {
    const { dialects, tokenHeaders, clock } = this.options;
    const { token: dialect } = dialects.shared.dialect;
    const asked = await tokenRequest(this.options, dialect);
    if (asked === null) return none('credentials-unreadable');
    const result = await this.wire.send({
      origin: this.origin,
      path: this.basePath + dialect.path,
      method: 'POST',
      headers: { ...tokenHeaders?.(), ...asked.headers, ...acceptHeaders },
      body: asked.body,
      timeoutMs: tokenTimeoutMs,
    });
    return readAnswer(result, dialect, clock.now());
  }
}

interface TokenRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function tokenRequest(
  { readCredentials, scope }: EndpointOptions,
  dialect: TokenDialect,
): Promise<TokenRequest | null> {
  try {
    const credentials = await readCredentials();
    const fields = tokenFields(credentials, scope, dialect);
    const isForm = dialect.body === 'form';
    const login = dialect.credentials === 'basic' && basicLogin(credentials.clientId, credentials.clientSecret);
    const headers = {
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      ...(login !== false && { authorization: login }),
    };
    return { headers, body: isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields) };
  } catch {
    // Deliberately without the cause: a message about a secret's file may quote the secret.
    return null;
  }
}

function tokenFields(
  { clientId, clientSecret }: ClientCredentials,
  scope: string | null,
  { names, grantType, credentials, fields }: TokenDialect,
): Record<string, string> {
  return {
    [names.grantType]: grantType,
    ...(credentials === 'body' && { [names.clientId]: clientId, [names.clientSecret]: clientSecret }),
    ...(scope !== null && { [names.scope]: scope }),
    ...fields,
  };
}

function readAnswer(result: HttpResult, dialect: TokenDialect, nowMs: number): TokenAnswer {
  if (result.phase !== 'answered' || result.status === null) return none(result.error ?? 'no-answer');
  if (result.status < 200 || result.status >= 300) {
    return none(`http-${result.status}`, retryAfterMsOf(result.headers, nowMs));
  }
  const { json } = readBody(result);
  const { accessToken, expiresIn, tokenType } = dialect.answer;
  const answer = tokenAnswerSchema.safeParse({
    access_token: valueAt(json, accessToken),
    expires_in: valueAt(json, expiresIn),
    token_type: valueAt(json, tokenType),
  });
  return answer.success ? granted(answer.data, dialect) : none('answer-unreadable');
}

const millisecondsInUnit = { seconds: 1_000, milliseconds: 1 } as const;

function granted(
  { access_token: value, expires_in: told, token_type: type }: TokenFields,
  { answer }: TokenDialect,
): TokenAnswer {
  const seconds = told === undefined ? null : (told * millisecondsInUnit[answer.expiresInUnit]) / 1_000;
  const shapeAlarms: string[] = [];
  if (seconds === null) shapeAlarms.push('expires_in');
  // RFC 6749 section 5.1: the type's case does not matter.
  if (type?.toLowerCase() !== 'bearer') shapeAlarms.push('token_type');
  return { kind: 'token', value, lifetimeMs: tokenLifetimeMs(seconds), shapeAlarms };
}

function none(reason: string, retryAfterMs: number | null = null): TokenAnswer {
  return { kind: 'none', reason, retryAfterMs };
}

/** The partner's access token of this process. */
@Injectable()
export class TokenSource extends AccessTokens implements TokenCheck {
  private readonly clock: Clock;

  constructor(
    @Inject(TokenEndpoint) endpoint: TokenRequests,
    @Inject(GATEWAY_OPTIONS) { clock, tokenObserver: observer }: Pick<GatewayOptions, 'clock' | 'tokenObserver'>,
  ) {
    super(endpoint, { clock, observer });
    this.clock = clock;
  }

  async checkToken({ timeoutMs, signal }: CallOptions): Promise<TokenReport> {
    const { clock } = this;
    const startedAt = clock.monotonic();
    const renewed = await waitWithin(this.renew(), { clock, timeoutMs, signal });
    const durationMs = clock.monotonic() - startedAt;
    if (typeof renewed === 'string') {
      return { kind: 'failed', stage: 'token', code: renewed, retryAfterMs: null, durationMs };
    }
    if (renewed.kind === 'none') {
      const { reason: code, retryAfterMs } = renewed;
      return { kind: 'failed', stage: 'token', code, retryAfterMs, durationMs };
    }
    return { kind: 'granted', lifetimeMs: renewed.lifetimeMs, durationMs, shapeAlarms: renewed.shapeAlarms };
  }
}

/** Waits for `work` no longer than the deadline or the abort; `work` itself continues for other callers. */
export async function waitWithin<T>(
  work: Promise<T>,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<T | 'timeout' | 'aborted'> {
  if (signal?.aborted === true) return 'aborted';
  const end = Promise.withResolvers<'timeout' | 'aborted'>();
  const onAbort = (): void => end.resolve('aborted');
  signal?.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = clock.after(Math.max(0, timeoutMs), () => end.resolve('timeout'));
  try {
    return await Promise.race([work, end.promise]);
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', onAbort);
  }
}
