import { HttpService } from '@nestjs/axios';
import type { Clock } from '#platform';
import axios, { type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import {
  connectionAgeMsMax,
  connectionsPerOriginMax,
  connectTimeoutMs,
  keepAliveIdleMs,
  keepAliveIdleMsMax,
  keepAliveMarginMs,
  responseHeadBytesMax,
} from '../limits.js';
import { HttpExchange, type HttpRequest, type HttpResult, type HttpTransport } from './http-exchange.js';
import { skipUnaskedContinue } from './unasked-continue.js';

export interface ConnectionOptions {
  /**
   * PEM of the authority that signs the partner's certificate; replaces the built-in ones (`WALLET_CA_FILE`). Asked at each
   * request: another answer makes new connections, and lets the old ones finish.
   */
  readonly ca?: (() => string | undefined) | undefined;
  /** `http://[user:password@]host:port`; used for https origins only (`HTTPS_PROXY`). Asked at each request, as `ca`. */
  readonly proxyUrl?: (() => string | undefined) | undefined;
  /** Hosts that are reached past the proxy, as `NO_PROXY` lists them: `partner.example, .internal, 10.0.0.7:8443, *`. */
  readonly noProxy?: string | undefined;
  /** Default `connectionsPerOriginMax`. */
  readonly connectionsMax?: number | undefined;
  /** Default `connectTimeoutMs`. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * How long an idle connection may still be used where the partner gives no keep-alive hint, milliseconds; default
   * `keepAliveIdleMs`. 0: none is used twice, whatever the partner says.
   */
  readonly keepAliveMs?: number | undefined;
}

/** Connections that trust one authority, by one way, of one age. */
interface Pools {
  /** Monotonic. */
  readonly openedAt: number;
  readonly ca: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly direct: Agent;
  readonly proxied: Dispatcher | null;
}

/** The keep-alive connections to the partner and to its token endpoint. */
export class Dispatchers {
  private pools: Pools;
  /** Replaced; they finish what is under way. */
  private readonly draining = new Set<Pools>();

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly options: ConnectionOptions = {},
  ) {
    skipUnaskedContinue();
    this.pools = openPools(options, clock.monotonic());
  }

  for(origin: string): Dispatcher {
    if (this.isOutdated()) this.renew();
    const { direct, proxied } = this.pools;
    return proxied !== null && origin.startsWith('https:') ? proxied : direct;
  }

  /** Ends all connections at once; what is under way fails. */
  async close(): Promise<void> {
    const all = [this.pools, ...this.draining];
    await Promise.all(all.map(({ direct, proxied }) => Promise.all([direct.destroy(), proxied?.destroy()])));
  }

  private isOutdated(): boolean {
    const { ca, proxyUrl } = this.options;
    const { pools } = this;
    const isOld = this.clock.monotonic() - pools.openedAt >= connectionAgeMsMax;
    return isOld || ca?.() !== pools.ca || proxyUrl?.() !== pools.proxyUrl;
  }

  private renew(): void {
    const old = this.pools;
    this.pools = openPools(this.options, this.clock.monotonic());
    this.draining.add(old);
    const gone = Promise.allSettled([old.direct.close(), old.proxied?.close()]);
    void gone.then(() => this.draining.delete(old));
  }
}

function openPools(options: ConnectionOptions, openedAt: number): Pools {
  const ca = options.ca?.();
  const shared = agentOptions(options, ca);
  const { noProxy } = options;
  const proxyUrl = options.proxyUrl?.();
  return {
    openedAt,
    ca,
    proxyUrl,
    direct: new Agent(shared),
    proxied: proxyUrl === undefined ? null : proxyAgent(shared, proxyUrl, { ca, noProxy }),
  };
}

function agentOptions(options: ConnectionOptions, ca: string | undefined): Agent.Options {
  const timeout = options.connectTimeoutMs ?? connectTimeoutMs;
  const keepAliveMs = options.keepAliveMs ?? keepAliveIdleMs;
  return {
    connections: options.connectionsMax ?? connectionsPerOriginMax,
    // More than one request in flight on a socket would be written again after a reset. 0: and none after it.
    pipelining: keepAliveMs === 0 ? 0 : 1,
    // The phase mark is proven for HTTP/1.1 only.
    allowH2: false,
    keepAliveTimeout: Math.max(1, keepAliveMs),
    keepAliveMaxTimeout: keepAliveIdleMsMax,
    keepAliveTimeoutThreshold: keepAliveMarginMs,
    maxHeaderSize: responseHeadBytesMax,
    // The exchange has one deadline for the whole call.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout, ...(ca !== undefined && { ca }) },
  };
}

/** Empty texts keep it from reading the environment, which the gateway gets as options. */
function proxyAgent(
  shared: Agent.Options,
  httpsProxy: string,
  { ca, noProxy = '' }: { readonly ca: string | undefined; readonly noProxy: string | undefined },
): Dispatcher {
  return new EnvHttpProxyAgent({
    ...shared,
    httpProxy: '',
    httpsProxy,
    noProxy,
    ...(ca !== undefined && { requestTls: { ca } }),
  });
}

/** A request on its way into the next burst, and who waits for its result. */
interface Waiting {
  readonly request: HttpRequest;
  readonly resolve: (result: HttpResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends requests through Nest's axios instance: all that were made in the same turn in one call of it. A call of its own
 * for each cost 6 us of processor time, as much as undici's whole work. (Wrapping calls in an Observable and a cancel
 * token, as HttpService's methods do, cost a third of the throughput.)
 */
export class HttpClient implements HttpTransport {
  private readonly http: HttpService;
  private waiting: Waiting[] = [];

  constructor(dispatchers: Dispatchers, clock: Clock) {
    this.http = createHttpService(dispatchers, clock);
  }

  send(request: HttpRequest): Promise<HttpResult> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ request, resolve, reject }) === 1) queueMicrotask(this.sendBurst);
    });
  }

  private readonly sendBurst = (): void => {
    const burst = new Burst(this.waiting);
    this.waiting = [];
    this.http.axiosRef.request({ data: burst }).catch((error: unknown) => {
      burst.fail(error);
    });
  };
}

/** Carries requests through axios by reference: axios clones plain objects in its configuration, instances it leaves. */
class Burst {
  constructor(private readonly waiting: readonly Waiting[]) {}

  send(dispatchers: Dispatchers, clock: Clock): void {
    for (const { request, resolve, reject } of this.waiting) {
      try {
        new HttpExchange(request, clock, resolve).start(dispatchers.for(request.origin));
      } catch (error) {
        reject(error);
      }
    }
  }

  /** axios has not passed it on. */
  fail(error: unknown): void {
    for (const { reject } of this.waiting) reject(error);
  }
}

/**
 * Nest's HttpService over an axios instance whose adapter is undici: axios' own adapter reached 6-7k requests/s on
 * one core and cannot tell whether a request was written. The call ends once its requests are on their way; each has a
 * result of its own, whatever its status. Nothing is transformed, followed, retried or decompressed.
 */
function createHttpService(dispatchers: Dispatchers, clock: Clock): HttpService {
  const adapter = async (config: InternalAxiosRequestConfig<Burst>): Promise<AxiosResponse<null>> => {
    carried(config.data).send(dispatchers, clock);
    return { data: null, status: 0, statusText: '', headers: {}, config };
  };
  const instance = axios.create({ adapter, transformRequest: [], transformResponse: [] });
  keepOnly(instance.defaults, ['adapter', 'transformRequest', 'transformResponse']);
  return new HttpService(instance);
}

function carried(data: Burst | undefined): Burst {
  if (data instanceof Burst) return data;
  throw new TypeError('the gateway sends through HttpClient only');
}

/** axios merges its defaults anew for each call: those nobody reads here cost as much as undici's whole work. */
function keepOnly(defaults: object, wanted: readonly string[]): void {
  for (const key of Object.keys(defaults)) if (!wanted.includes(key)) Reflect.deleteProperty(defaults, key);
}
