import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** One exchange as it went over the wire. Holds tokens and secrets: compare it, never print it. */
export interface RecordedExchange {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly answer: { readonly status: number; readonly body: string } | null;
}

const wrongToken = 'Bearer ct-spoiled-on-the-way';

/** Stands between the gateway and the partner and remembers what passes. Nothing is changed, unless it is told to. */
export class RecordingProxy {
  private exchanges: RecordedExchange[] = [];
  private toSpoil = 0;

  private constructor(
    private readonly origin: URL,
    private readonly server: http.Server,
    private readonly agent: http.Agent,
  ) {}

  static async start(targetUrl: string): Promise<RecordingProxy> {
    const origin = new URL(new URL(targetUrl).origin);
    const agent = new (origin.protocol === 'https:' ? https : http).Agent({ keepAlive: true });
    const server = http.createServer();
    const proxy = new RecordingProxy(origin, server, agent);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void proxy.pass(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** A URL of the partner's, by way of here. */
  urlOf(targetUrl: string): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${new URL(targetUrl).pathname.replace(/\/+$/, '')}`;
  }

  /** What has passed since the last time it was asked. */
  take(): RecordedExchange[] {
    const taken = this.exchanges;
    this.exchanges = [];
    return taken;
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

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { method = '', url: target = '', headers } = request;
    const base = { method, target, headers, body: body.toString('utf8') };
    try {
      const { head, bytes } = await this.ask(base, body);
      const status = head.statusCode ?? 0;
      this.exchanges.push({ ...base, answer: { status, body: bytes.toString('utf8') } });
      const { 'transfer-encoding': _chunked, ...answered } = head.headers;
      response.writeHead(status, { ...answered, 'content-length': bytes.length }).end(bytes);
    } catch {
      this.exchanges.push({ ...base, answer: null });
      response.destroy();
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
