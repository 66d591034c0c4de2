import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import {
  connectionsPerOriginMax,
  connectTimeoutMs,
  keepAliveIdleMs,
  keepAliveIdleMsMax,
  keepAliveMarginMs,
  responseHeadBytesMax,
} from '../limits.js';

export interface ConnectionOptions {
  /** PEM of the authority that signs the partner's certificate; replaces the built-in ones (`WALLET_CA_FILE`). */
  readonly ca?: string | undefined;
  /** `http://[user:password@]host:port`; used for https origins only (`HTTPS_PROXY`). */
  readonly proxyUrl?: string | undefined;
  /** Hosts that are reached past the proxy, as `NO_PROXY` lists them: `partner.example, .internal, 10.0.0.7:8443, *`. */
  readonly noProxy?: string | undefined;
  /** Default `connectionsPerOriginMax`. */
  readonly connectionsMax?: number | undefined;
  /** Default `connectTimeoutMs`. */
  readonly connectTimeoutMs?: number | undefined;
}

/** The keep-alive connections to the partner and to its token endpoint. */
export class Dispatchers {
  private readonly direct: Agent;
  private readonly proxied: Dispatcher | null;

  constructor(options: ConnectionOptions = {}) {
    const shared = agentOptions(options);
    this.direct = new Agent(shared);
    this.proxied = options.proxyUrl === undefined ? null : proxyAgent(shared, options.proxyUrl, options);
  }

  for(origin: string): Dispatcher {
    return this.proxied !== null && origin.startsWith('https:') ? this.proxied : this.direct;
  }

  /** Ends all connections at once; what is under way fails. */
  async close(): Promise<void> {
    await Promise.all([this.direct.destroy(), this.proxied?.destroy()]);
  }
}

function agentOptions(options: ConnectionOptions): Agent.Options {
  const timeout = options.connectTimeoutMs ?? connectTimeoutMs;
  return {
    connections: options.connectionsMax ?? connectionsPerOriginMax,
    // More than one request in flight on a socket would be written again after a reset.
    pipelining: 1,
    // The phase mark is proven for HTTP/1.1 only.
    allowH2: false,
    keepAliveTimeout: keepAliveIdleMs,
    keepAliveMaxTimeout: keepAliveIdleMsMax,
    keepAliveTimeoutThreshold: keepAliveMarginMs,
    maxHeaderSize: responseHeadBytesMax,
    // The exchange has one deadline for the whole call.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout, ...(options.ca !== undefined && { ca: options.ca }) },
  };
}

/** Empty texts keep it from reading the environment, which the gateway gets as options. */
function proxyAgent(shared: Agent.Options, httpsProxy: string, { ca, noProxy = '' }: ConnectionOptions): Dispatcher {
  return new EnvHttpProxyAgent({
    ...shared,
    httpProxy: '',
    httpsProxy,
    noProxy,
    ...(ca !== undefined && { requestTls: { ca } }),
  });
}
