import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '#platform';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { type ConnectionOptions, GATEWAY_OPTIONS, type GatewayOptions } from '../gateway-options.js';
import {
  connectionAgeMsMax,
  connectionsPerOriginMax,
  connectTimeoutMs,
  keepAliveIdleMs,
  keepAliveIdleMsMax,
  keepAliveMarginMs,
  responseBodyBytesMax,
  responseHeadBytesMax,
} from '../limits.js';
import { decoded } from './content-coding.js';
import { HttpExchange, type HttpRequest, type HttpResult, type HttpTransport } from './http-exchange.js';
import { skipUnaskedContinue } from './unasked-continue.js';

/** What a connection is made with. */
export interface ConnectionTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3';
}

/** Connections that trust one authority and show one certificate, by one way, of one age. */
interface Pools {
  /** Monotonic. */
  readonly openedAt: number;
  readonly tls: ConnectionTls;
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
    const { proxyUrl } = this.options;
    const { pools } = this;
    const isOld = this.clock.monotonic() - pools.openedAt >= connectionAgeMsMax;
    return isOld || isOtherTls(this.options, pools.tls) || proxyUrl?.() !== pools.proxyUrl;
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
  const tls = connectionTls(options);
  const shared = agentOptions(options, tls);
  const { noProxy } = options;
  const proxyUrl = options.proxyUrl?.();
  return {
    openedAt,
    tls,
    proxyUrl,
    direct: new Agent(shared),
    proxied: proxyUrl === undefined ? null : proxyAgent(shared, proxyUrl, { tls, noProxy }),
  };
}

/** As it is in force now. */
export function connectionTls({ ca, certificate, tlsVersionMax }: ConnectionOptions): ConnectionTls {
  const authority = ca?.();
  const own = certificate?.();
  const maxVersion = tlsVersionMax ?? (own === undefined ? undefined : 'TLSv1.2');
  return {
    ...(authority !== undefined && { ca: authority }),
    ...(own !== undefined && { cert: own.cert, key: own.key }),
    ...(maxVersion !== undefined && { maxVersion }),
  };
}

function isOtherTls(options: ConnectionOptions, { ca, cert, key }: ConnectionTls): boolean {
  const now = connectionTls(options);
  return now.ca !== ca || now.cert !== cert || now.key !== key;
}

function agentOptions(options: ConnectionOptions, tls: ConnectionTls): Agent.Options {
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
    connect: { timeout, ...tls },
  };
}

/** Empty texts keep it from reading the environment, which the gateway gets as options. */
function proxyAgent(
  shared: Agent.Options,
  httpsProxy: string,
  { tls, noProxy = '' }: { readonly tls: ConnectionTls; readonly noProxy: string | undefined },
): Dispatcher {
  return new EnvHttpProxyAgent({
    ...shared,
    httpProxy: '',
    httpsProxy,
    noProxy,
    requestTls: { ...tls },
  });
}

/** Each request as an exchange on undici's connections. Nothing is followed, retried or decompressed. */
export class UndiciTransport implements HttpTransport {
  constructor(
    private readonly dispatchers: Dispatchers,
    private readonly clock: Clock,
  ) {}

  /** @throws what `ConnectionOptions.ca`, `certificate` and `proxyUrl` throw */
  send(request: HttpRequest): Promise<HttpResult> {
    return new Promise((resolve) => {
      new HttpExchange(request, this.clock, resolve).start(this.dispatchers.for(request.origin));
    });
  }
}

/** The way to the partner: connections of our own, or what carries requests in their place; answers without codings. */
@Injectable()
export class PartnerWire implements HttpTransport {
  private readonly transport: HttpTransport;
  private readonly dispatchers: Dispatchers | null = null;

  constructor(@Inject(GATEWAY_OPTIONS) { transport, connection, clock }: GatewayOptions) {
    if (transport !== undefined) {
      this.transport = transport;
      return;
    }
    this.dispatchers = new Dispatchers(clock, connection);
    this.transport = new UndiciTransport(this.dispatchers, clock);
  }

  async send(request: HttpRequest): Promise<HttpResult> {
    return decoded(await this.transport.send(request), request.responseBytesMax ?? responseBodyBytesMax);
  }

  /** Ends every connection at once; to be called when nothing is under way any more. */
  async close(): Promise<void> {
    await this.dispatchers?.close();
  }
}
