import { Inject, Injectable } from '@nestjs/common';
import { classifyOutcome } from '#intents/core';
import type { Clock, TokenGrant } from '#platform';
import type { CompiledDialect } from '../dialect/dialect-registry.js';
import type { Dialect } from '../dialect/dialect-schema.js';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway-options.js';
import type { OperationTarget, PartnerOperation } from './operation.js';
import type { AttemptReport, CallEvidence, CallOptions, RequestEvidence } from '../port/call.js';
import { isJsonObject } from './answer-body.js';
import { HttpClient } from './http-client.js';
import { acceptHeaders, type HttpResult, neverSent } from './http-exchange.js';
import {
  attemptReading,
  callStage,
  type CallTrace,
  NO_REQUEST,
  observeAnswer,
  responseEvidence,
} from './observe-answer.js';
import { InvalidRequest, type PlannedRequest } from './planned-request.js';
import { retryAfterMsOf } from './retry-after.js';
import { TokenSource, waitWithin } from './token-source.js';

const HEADERS = { ...acceptHeaders, 'user-agent': 'loyaltyd' } as const;
const HEADERS_OF_JSON = { ...HEADERS, 'content-type': 'application/json' } as const;

interface Call {
  readonly planned: PlannedRequest;
  readonly options: CallOptions;
  readonly startedAt: number;
}

/**
 * Sends a request with the current token; a 401 is repeated exactly once with another one, because it is a definite
 * refusal (partner-api.md sections 5 and 7). One deadline covers all of it.
 */
@Injectable()
export class AuthorizedClient {
  private readonly origin: string;
  private readonly basePath: string;
  private readonly clock: Clock;

  /** @throws TypeError when the base address is no URL */
  constructor(
    private readonly http: HttpClient,
    private readonly tokens: TokenSource,
    @Inject(GATEWAY_OPTIONS) { baseUrl, clock }: Pick<GatewayOptions, 'baseUrl' | 'clock'>,
  ) {
    const { origin, pathname } = new URL(baseUrl);
    this.clock = clock;
    this.origin = origin;
    this.basePath = pathname.replace(/\/+$/, '');
  }

  /** Nearly always the token is at hand: then a call costs one wait, for its answer. */
  async send(planned: PlannedRequest, options: CallOptions): Promise<CallTrace> {
    const call = { planned, options, startedAt: this.clock.monotonic() };
    const held = this.tokens.current();
    const grant = held === null ? await this.wait(call, this.tokens.obtain()) : tokenGrant(held);
    if (grant.kind === 'none') return this.trace(call, neverSent(grant.error), grant);
    const first = await this.sendWith(call, grant.value);
    return isRefusedToken(first) ? this.repeat(call, grant.value, first) : this.trace(call, first);
  }

  private async repeat(call: Call, refused: string, first: HttpResult): Promise<CallTrace> {
    const grant = await this.wait(call, this.tokens.replace(refused));
    if (grant.kind === 'none') return this.trace(call, neverSent(grant.error), { ...grant, seen: first });
    return this.trace(call, await this.sendWith(call, grant.value));
  }

  private sendWith(call: Call, token: string): Promise<HttpResult> | HttpResult {
    const timeoutMs = this.remainingMs(call);
    if (timeoutMs <= 0) return neverSent('timeout');
    const { method, path, body, responseBytesMax } = call.planned;
    return this.http.send({
      origin: this.origin,
      path: this.basePath + path,
      method,
      headers: body === null ? HEADERS : HEADERS_OF_JSON,
      body,
      timeoutMs,
      responseBytesMax,
      signal: call.options.signal,
      bearer: token,
      traceparent: call.options.traceparent,
    });
  }

  private async wait(call: Call, grant: Promise<TokenGrant>): Promise<Granted> {
    const limits = { clock: this.clock, timeoutMs: this.remainingMs(call), signal: call.options.signal };
    const waited = await waitWithin(grant, limits);
    if (waited === 'aborted') return { kind: 'none', error: 'aborted', retryAfterMs: null };
    if (waited === 'timeout') return { kind: 'none', error: 'no-token', retryAfterMs: null };
    return waited.kind === 'none' ? { ...waited, error: 'no-token' } : waited;
  }

  private remainingMs(call: Call): number {
    return call.options.timeoutMs - (this.clock.monotonic() - call.startedAt);
  }

  private trace(
    call: Call,
    result: HttpResult,
    noToken?: { retryAfterMs: number | null; seen?: HttpResult },
  ): CallTrace {
    return {
      path: call.planned.path,
      result,
      seen: noToken?.seen ?? result,
      retryAfterMs: noToken?.retryAfterMs ?? retryAfterMsOf(result.headers, this.clock.now()),
      durationMs: this.clock.monotonic() - call.startedAt,
    };
  }
}

type Granted =
  | { readonly kind: 'token'; readonly value: string }
  | { readonly kind: 'none'; readonly error: 'aborted' | 'no-token'; readonly retryAfterMs: number | null };

function tokenGrant(value: string): Granted {
  return { kind: 'token', value };
}

function isRefusedToken({ phase, status }: HttpResult): boolean {
  return phase === 'answered' && status === 401;
}

/** A call that only reads: what was sent, what came of it, by which dialect it is to be read. */
export interface Exchange {
  readonly compiled: CompiledDialect;
  readonly trace: CallTrace;
  readonly evidence: CallEvidence;
}

/** Sends planned requests and turns the answers into reports. */
@Injectable()
export class Caller {
  constructor(
    private readonly client: AuthorizedClient,
    @Inject(GATEWAY_OPTIONS) private readonly options: Pick<GatewayOptions, 'dialects' | 'clock'>,
  ) {}

  dialectOf(target: OperationTarget): Dialect {
    return this.options.dialects.of(target).dialect;
  }

  /** A call that changes something. Resolves always, save for a programming error. */
  async attempt<Input extends OperationTarget, Value>(
    operation: PartnerOperation<Input, Value>,
    input: Input,
    options: CallOptions,
  ): Promise<AttemptReport<Partial<Value>>> {
    const { dialects, clock } = this.options;
    const compiled = dialects.of(input);
    const planned = planOrRefusal(() => operation.plan(input, compiled.dialect, clock.now()));
    if (planned instanceof InvalidRequest) return refusedInput(planned);
    const trace = await this.client.send(planned, options);
    const { observation, body } = observeAnswer(trace, attemptReading(operation, input, compiled));
    const outcome = classifyOutcome(observation);
    const isReadable = outcome.kind === 'applied' && isJsonObject(body?.json);
    const shape = isReadable ? operation.read(body.json, compiled.dialect) : { value: null, alarms: [] };
    return {
      outcome,
      stage: callStage(observation),
      phase: observation.phase,
      durationMs: trace.durationMs,
      request: evidenceOf(planned),
      response: responseEvidence(trace, compiled, body),
      value: shape.value,
      shapeAlarms: shape.alarms,
    };
  }

  /** A call that only reads; the refused input where there is nothing to send. */
  async exchange(
    target: OperationTarget,
    plan: (dialect: Dialect) => PlannedRequest,
    options: CallOptions,
  ): Promise<Exchange | InvalidRequest> {
    const compiled = this.options.dialects.of(target);
    const planned = planOrRefusal(() => plan(compiled.dialect));
    if (planned instanceof InvalidRequest) return planned;
    const trace = await this.client.send(planned, options);
    const response = responseEvidence(trace, compiled);
    return { compiled, trace, evidence: { request: evidenceOf(planned), response, durationMs: trace.durationMs } };
  }
}

function planOrRefusal(plan: () => PlannedRequest): PlannedRequest | InvalidRequest {
  try {
    return plan();
  } catch (error) {
    if (error instanceof InvalidRequest) return error;
    throw error;
  }
}

function evidenceOf({ method, path, body }: PlannedRequest): RequestEvidence {
  return { method, path, body };
}

/** It will never make a request: a person must look, instead of a lane trying for ever. */
function refusedInput(refusal: InvalidRequest): AttemptReport<never> {
  return {
    outcome: { kind: 'rejected', code: 'invalid-request', message: refusal.texts.join('; ') },
    stage: 'request',
    phase: 'not-sent',
    durationMs: 0,
    request: NO_REQUEST,
    response: null,
    value: null,
    shapeAlarms: refusal.problems.map(({ path }) => `request.${path}`),
  };
}
