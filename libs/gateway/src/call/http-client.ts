import { HttpService } from '@nestjs/axios';
import { Inject, Injectable } from '@nestjs/common';
import type { AttemptPhase, TransportErrorKind } from '#intents/core';
import {
  type AxiosAdapter,
  AxiosError,
  AxiosHeaders,
  type AxiosInstance,
  type AxiosRequestConfig,
  CanceledError,
  type InternalAxiosRequestConfig,
} from 'axios';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway-options.js';
import { type HttpRequest, type HttpResult, type HttpTransport, neverSent } from './http-exchange.js';
import { requestThrough } from './interceptor-chain.js';
import { waitWithin } from './token-source.js';

/** How far a request got. */
export interface ExchangeFacts {
  readonly phase: AttemptPhase;
  /** `null` exactly when `phase` is `answered`. */
  readonly error: TransportErrorKind | null;
  /** Set as soon as a status line was read, also when the rest was lost. */
  readonly status: number | null;
  /** From when the adapter took the request to the last byte of the answer. */
  readonly durationMs: number;
}

/* eslint-disable @typescript-eslint/no-unused-vars -- what is merged has the type parameters of the original */
declare module 'axios' {
  interface AxiosRequestConfig<D, P> {
    /** Leave to send this request once; without one the adapter sends nothing. */
    permit?: SendPermit;
  }

  interface AxiosResponse<T, D, H, P> {
    exchange?: ExchangeFacts;
  }
}
/* eslint-enable @typescript-eslint/no-unused-vars */

/** A request of the wallet API; interceptors put the token and the trace on it. */
export interface ApiRequest extends HttpRequest {
  readonly bearer?: string | undefined;
  /** W3C. */
  readonly traceparent?: string | undefined;
}

/**
 * A call that brought no complete answer. `code` is the transport's error, or why the adapter sent nothing: `no-permit`,
 * `permit-used`, `permit-withdrawn`, `altered`. Holds no header, no query (it names members) and no body.
 */
export class PartnerCallError extends AxiosError<never> {
  constructor(
    code: string,
    readonly exchange: ExchangeFacts,
    config: AxiosRequestConfig,
  ) {
    super(`${exchange.phase}: ${code}`, code, withoutContent(config));
    this.name = 'PartnerCallError';
    if (exchange.status !== null) this.status = exchange.status;
  }
}

function withoutContent({ method = '', url = '', permit }: AxiosRequestConfig): InternalAxiosRequestConfig {
  const [address = ''] = url.split('?');
  return { method, url: address, headers: new AxiosHeaders(), ...(permit !== undefined && { permit }) };
}

function notSent(error: TransportErrorKind): ExchangeFacts {
  return { phase: 'not-sent', error, status: null, durationMs: 0 };
}

/** Headers that are as they should be: nothing normalises them again. */
class PlainHeaders extends AxiosHeaders {
  override normalize(): AxiosHeaders {
    return this;
  }
}

function plainHeaders(headers: Readonly<Record<string, unknown>>): AxiosHeaders {
  return Object.assign(new PlainHeaders(), headers);
}

/**
 * Leave to send one request once, whatever interceptors do with its config: one that retries finds the permit used; one
 * that changes the address, the method or the body has its call refused; headers may be added. The result is what the exchange
 * says, not what interceptors make of it. What it holds is private to the engine: a config that is logged shows no token.
 */
export class SendPermit {
  readonly #request: ApiRequest;
  readonly #url: string;
  readonly #issuedAt: number;
  readonly #settle: (result: HttpResult | Promise<HttpResult>) => void;
  #state: 'unused' | 'used' | 'withdrawn' = 'unused';

  /**
   * @param issuedAt monotonic; from then on the request's time runs
   * @param settle called once, with what became of the request
   */
  constructor(request: ApiRequest, issuedAt: number, settle: (result: HttpResult | Promise<HttpResult>) => void) {
    this.#settle = settle;
    this.#request = request;
    this.#url = request.origin + request.path;
    this.#issuedAt = issuedAt;
  }

  get isUnused(): boolean {
    return this.#state === 'unused';
  }

  /** The request as axios knows it. */
  toConfig(): AxiosRequestConfig {
    const { method, body } = this.#request;
    return { url: this.#url, method, data: body ?? undefined, permit: this };
  }

  get traceparent(): string | undefined {
    return this.#request.traceparent;
  }

  /** The request's own headers and its token, over what interceptors have put there. */
  complete(headers: AxiosHeaders): AxiosHeaders {
    const { headers: own, bearer } = this.#request;
    const all = Object.assign(plainHeaders(headers), own);
    if (bearer !== undefined) all['authorization'] = `Bearer ${bearer}`;
    return all;
  }

  /** Nothing is sent from now on; changes nothing when it was used. */
  withdraw(error: TransportErrorKind): void {
    if (this.#state !== 'unused') return;
    this.#state = 'withdrawn';
    this.#settle(neverSent(error));
  }

  /**
   * Sends the request, once.
   * @param headers all that go out
   * @throws PartnerCallError before a byte is sent
   */
  use(wire: HttpTransport, config: InternalAxiosRequestConfig, { headers, now }: Outgoing): Promise<HttpResult> {
    const timeoutMs = this.#request.timeoutMs - (now - this.#issuedAt);
    if (this.#state !== 'unused') throw new PartnerCallError(`permit-${this.#state}`, notSent('unsendable'), config);
    if (timeoutMs <= 0) throw this.#refuse('timeout', 'timeout', config);
    if (!this.#isFor(config)) throw this.#refuse('altered', 'unsendable', config);
    this.#state = 'used';
    const { origin, path, method, body, responseBytesMax, signal } = this.#request;
    const result = wire.send({ origin, path, method, headers, body, timeoutMs, responseBytesMax, signal });
    this.#settle(result);
    return result;
  }

  #refuse(code: string, error: TransportErrorKind, config: AxiosRequestConfig): PartnerCallError {
    this.withdraw(error);
    return new PartnerCallError(code, notSent(error), config);
  }

  #isFor({ url, method, data, params, headers }: InternalAxiosRequestConfig): boolean {
    const { method: permitted, body } = this.#request;
    const isSame = url === this.#url && method?.toUpperCase() === permitted && (data ?? null) === body;
    return isSame && params === undefined && headers instanceof PlainHeaders;
  }
}

type WireHeaders = Readonly<Record<string, string>>;

interface Outgoing {
  readonly headers: WireHeaders;
  /** Monotonic. */
  readonly now: number;
}

type AdapterOptions = Pick<GatewayOptions, 'clock' | 'callHeaders'>;

/**
 * undici in place of axios' own adapter, which reached 6-7k requests/s on one core and cannot tell whether a request was
 * written. It follows, retries, transforms and decompresses nothing, and takes every status for an answer.
 */
function adapterOver(wire: HttpTransport, { clock, callHeaders }: AdapterOptions): AxiosAdapter {
  return async (config) => {
    if (config.signal?.aborted === true) throw new CanceledError(undefined, config);
    config.cancelToken?.throwIfRequested();
    const headers = { ...callHeaders?.(), ...takeHeaders(config) };
    const { permit } = config;
    if (permit === undefined) throw new PartnerCallError('no-permit', notSent('unsendable'), config);
    const startedAt = clock.monotonic();
    const result = await permit.use(wire, config, { headers, now: startedAt });
    const { phase, error, status } = result;
    const exchange = { phase, error, status, durationMs: clock.monotonic() - startedAt };
    if (error !== null || status === null) throw new PartnerCallError(error ?? 'no-answer', exchange, config);
    return { data: result.body, status, statusText: '', headers: plainHeaders(result.headers), config, exchange };
  };
}

/** What is sent on the wire. The token leaves the config with it: neither a response nor an interceptor that kept the config has it. */
function takeHeaders({ headers, data }: InternalAxiosRequestConfig): WireHeaders {
  const taken: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== null && value !== undefined && value !== false) taken[name.toLowerCase()] = String(value);
  }
  delete headers['authorization'];
  // axios names a type where there is nothing that has one.
  if (data === undefined) delete taken['content-type'];
  return taken;
}

/** For Nest's `HttpModule`, or `axios.create`. */
export function axiosOptions(wire: HttpTransport, options: AdapterOptions): AxiosRequestConfig {
  return { adapter: adapterOver(wire, options) };
}

/**
 * Nest's HttpService with our interceptors in it before anybody can add one: axios runs the last that was added first, so
 * theirs see each call without its token.
 */
@Injectable()
export class PartnerHttp extends HttpService {
  constructor(instance: AxiosInstance) {
    super(instance);
    const { defaults, interceptors } = instance;
    const { adapter } = defaults;
    if (typeof adapter !== 'function') throw new TypeError('the instance has no adapter of its own');
    // Transforms above all: amounts go as the bytes that they are.
    for (const key of Object.keys(defaults)) if (key !== 'adapter') Reflect.deleteProperty(defaults, key);
    interceptors.request.use(putToken);
    interceptors.request.use(putTrace);
    interceptors.response.use(null, hideContent);
    Object.assign(instance, { request: requestThrough(interceptors, adapter) });
  }
}

/** Our other headers come with it. */
function putToken(config: InternalAxiosRequestConfig): InternalAxiosRequestConfig {
  if (config.permit !== undefined) config.headers = config.permit.complete(config.headers);
  return config;
}

function putTrace(config: InternalAxiosRequestConfig): InternalAxiosRequestConfig {
  const traceparent = config.permit?.traceparent;
  if (traceparent !== undefined) config.headers = AxiosHeaders.from(config.headers).set('traceparent', traceparent);
  return config;
}

/** An error that is not ours, as of a cancel token that an interceptor put on a call, holds the whole config. */
function hideContent(error: Error): Promise<never> {
  if (error instanceof AxiosError && !(error instanceof PartnerCallError) && error.config !== undefined) {
    error.config = withoutContent(error.config);
  }
  return Promise.reject(error);
}

/** Sends requests through axios. */
@Injectable()
export class HttpClient {
  constructor(
    private readonly http: HttpService,
    @Inject(GATEWAY_OPTIONS) private readonly options: Pick<GatewayOptions, 'clock'>,
  ) {}

  /**
   * Never rejects for what becomes of the request, never sends twice. What interceptors do with the answer is not waited
   * for: it is ours as soon as it is there.
   * (HttpService's own methods wrap a call in an Observable and a cancel token: that cost a third of the throughput.)
   */
  send(request: ApiRequest): Promise<HttpResult> {
    const { promise, resolve } = Promise.withResolvers<HttpResult>();
    const permit = new SendPermit(request, this.options.clock.monotonic(), resolve);
    const unsent = (): void => permit.withdraw('unsendable');
    this.http.axiosRef.request(permit.toConfig()).then(unsent, unsent);
    if (permit.isUnused) void this.withdrawLate(permit, request, promise);
    return promise;
  }

  /** An interceptor works before it passes the call on: until then deadline and abort are looked after here. */
  private async withdrawLate(
    permit: SendPermit,
    { timeoutMs, signal }: HttpRequest,
    result: Promise<HttpResult>,
  ): Promise<void> {
    // A failure is the caller's to see.
    const settled = result.catch(() => null);
    const ended = await waitWithin(settled, { clock: this.options.clock, timeoutMs, signal });
    if (typeof ended === 'string') permit.withdraw(ended);
  }
}
