import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import type { DialectInput, Gateway, Partner } from '#gateway';
import { createGateway, DialectRegistry } from '#gateway';
import { SystemClock } from '#platform';

/** One exchange as it went over the wire. Holds tokens and secrets: compare it, never print it. */
export interface RecordedExchange {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly answer: { readonly status: number; readonly body: string } | null;
}

/** A step that takes longer hangs. */
export const callMsMax = 120_000;

const wrongToken = 'Bearer ct-spoiled-on-the-way';

/** Stands between the gateway and the partner and remembers what passes. Nothing is changed, unless it is told to. */
class RecordingProxy {
  private exchanges: Promise<RecordedExchange>[] = [];
  private toSpoil = 0;
  /**
   * Before each path. A port that one test has let go of is given to the next: what still calls a partner that was there
   * must not be taken for a step's own request.
   */
  private readonly prefix = `/${randomUUID()}`;

  private constructor(
    private readonly origin: URL,
    private readonly server: http.Server,
    private readonly agent: http.Agent,
  ) {}

  static async start(targetUrl: string): Promise<RecordingProxy> {
    const origin = new URL(new URL(targetUrl).origin);
    const agent = new (origin.protocol === 'https:' ? https : http).Agent({ keepAlive: false });
    const server = http.createServer();
    const proxy = new RecordingProxy(origin, server, agent);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.url?.startsWith(`${proxy.prefix}/`) === true) proxy.exchanges.push(proxy.pass(request, response));
      else response.writeHead(421).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** A URL of the partner's, by way of here. */
  urlOf(targetUrl: string): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.prefix}${new URL(targetUrl).pathname.replace(/\/+$/, '')}`;
  }

  /**
   * What has come since the last time it was asked, each as soon as it is answered: a request whose asker gave up is its
   * own step's, not the next one's.
   */
  async take(): Promise<RecordedExchange[]> {
    const taken = this.exchanges;
    this.exchanges = [];
    this.toSpoil = 0;
    return Promise.all(taken);
  }

  /** The next so many requests go on with a token that nobody has issued. */
  spoilTokens(count: number): void {
    this.toSpoil = count;
  }

  async close(): Promise<void> {
    this.agent.destroy();
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<RecordedExchange> {
    const { method = '', url = '', headers } = request;
    const target = url.slice(this.prefix.length);
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    const base = { method, target, headers, body: body.toString('utf8') };
    try {
      const { head, bytes } = await this.ask(base, body);
      const status = head.statusCode ?? 0;
      const { 'transfer-encoding': _chunked, ...answered } = head.headers;
      response.writeHead(status, { ...answered, 'content-length': bytes.length }).end(bytes);
      return { ...base, answer: { status, body: bytes.toString('utf8') } };
    } catch {
      response.destroy();
      return { ...base, answer: null };
    }
  }

  private async ask(
    { method, target, headers }: Pick<RecordedExchange, 'method' | 'target' | 'headers'>,
    body: Buffer,
  ): Promise<{ head: IncomingMessage; bytes: Buffer }> {
    const isSpoiled = this.toSpoil > 0 && headers.authorization !== undefined;
    if (isSpoiled) this.toSpoil -= 1;
    const sent = { ...headers, host: this.origin.host, ...(isSpoiled ? { authorization: wrongToken } : {}) };
    const { request } = this.origin.protocol === 'https:' ? https : http;
    const outgoing = request(new URL(target, this.origin), { method, headers: sent, agent: this.agent });
    outgoing.end(body);
    const [head] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { head, bytes: await buffer(head) };
  }
}

export interface GatewayAccess {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

/** Gateways behind two recording proxies: one per dialect that is asked for, all of them on the same wire. */
export class GatewayLine {
  private readonly gateways = new Map<string, Gateway>();
  /** Of the last token, as the gateway understood it; null before the first. */
  lifetimeMs: number | null = null;

  private constructor(
    private readonly access: GatewayAccess,
    private readonly dialect: Readonly<Record<string, unknown>> | null,
    private readonly proxies: { readonly base: RecordingProxy; readonly auth: RecordingProxy },
  ) {}

  static async open(access: GatewayAccess, dialect: Readonly<Record<string, unknown>> | null): Promise<GatewayLine> {
    const base = await RecordingProxy.start(access.baseUrl);
    return new GatewayLine(access, dialect, { base, auth: await RecordingProxy.start(access.authUrl) });
  }

  /** @param overrides laid over the dialect of the run */
  partner(overrides: DialectInput): Partner {
    const key = JSON.stringify(overrides);
    const gateway = this.gateways.get(key) ?? this.connect(overrides);
    this.gateways.set(key, gateway);
    return gateway.partner;
  }

  /** What passed since it was last asked: calls of section 4, and token requests. */
  async take(): Promise<{ readonly calls: RecordedExchange[]; readonly tokens: RecordedExchange[] }> {
    const [calls, tokens] = await Promise.all([this.proxies.base.take(), this.proxies.auth.take()]);
    return { calls, tokens };
  }

  spoilTokens(count: number): void {
    this.proxies.base.spoilTokens(count);
  }

  /** A gateway that has no token yet. */
  async forget(): Promise<void> {
    await Promise.all([...this.gateways.values()].map((gateway) => gateway.close()));
    this.gateways.clear();
  }

  async close(): Promise<void> {
    await this.forget();
    await Promise.all([this.proxies.base.close(), this.proxies.auth.close()]);
  }

  private connect(overrides: DialectInput): Gateway {
    const { baseUrl, authUrl, clientId, clientSecret, scope } = this.access;
    return createGateway({
      baseUrl: this.proxies.base.urlOf(baseUrl),
      authUrl: this.proxies.auth.urlOf(authUrl),
      scope,
      readCredentials: () => ({ clientId, clientSecret }),
      dialects: new DialectRegistry({ file: overlay(this.dialect ?? {}, overrides), programs: [] }),
      clock: new SystemClock(),
      // Ends what hangs; on a busy machine a connection may take long.
      connection: { connectTimeoutMs: callMsMax },
      tokenObserver: {
        obtained: ({ lifetimeMs }) => (this.lifetimeMs = lifetimeMs),
        failed: () => undefined,
      },
    });
  }
}

type Layer = Readonly<Record<string, unknown>>;

function overlay(below: Layer, above: Layer): Layer {
  const merged = Object.entries(above).map(([key, value]) => {
    const under = below[key];
    return [key, isLayer(under) && isLayer(value) ? overlay(under, value) : value];
  });
  return { ...below, ...(Object.fromEntries(merged) as Layer) };
}

function isLayer(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The service under test. */
export interface Target extends GatewayAccess {
  /** It is a wallet sandbox of ours: it has fault dials and a ledger, and may be called as fast as one can. */
  readonly isSandbox: boolean;
}
