import { once } from 'node:events';
import http from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

import type { WireRequest } from '../interpreter/contract-client.js';
import type { ObservationName } from '../specification.js';
import type { GatewayAccess, GatewayLine } from './gateway-client.js';

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

/** What is seen on the wire of what the gateway keeps to itself. Holds no secret: it says whether one was sent. */
export async function observe(
  name: ObservationName,
  line: GatewayLine,
  { access, ask }: { readonly access: GatewayAccess; readonly ask: () => Promise<string> },
): Promise<unknown> {
  await line.forget();
  line.take();
  switch (name) {
    case 'token':
      return tokenSeen(line, access, await ask());
    case 'refused-token':
      line.spoilTokens(1);
      return countsSeen(line, await ask());
    case 'twice-refused-token':
      line.spoilTokens(2);
      return countsSeen(line, await ask());
    default:
      return name satisfies never;
  }
}

function countsSeen(line: GatewayLine, verdict: string): unknown {
  const { calls, tokens } = line.take();
  return { calls: calls.length, tokens: tokens.length, verdict, lastStatus: calls.at(-1)?.answer?.status };
}

function tokenSeen(line: GatewayLine, access: GatewayAccess, verdict: string): unknown {
  const { calls, tokens } = line.take();
  const [request] = tokens;
  const [call] = calls;
  if (request === undefined || call === undefined) return { verdict };
  const answer = JSON.parse(request.answer?.body ?? '{}') as { access_token?: string; expires_in?: number };
  const { authorization } = call.headers;
  return {
    verdict,
    request: requestSeen(request, access),
    call: {
      headers: { authorization: authorization?.replace(/(?<=^\S+ )\S+$/, '***') },
      carriesToken: authorization === `Bearer ${answer.access_token ?? ''}`,
    },
    lifetimeIsAsAnswered: line.lifetimeMs === Number(answer.expires_in) * 1_000,
  };
}

function requestSeen({ method, target, headers, body }: RecordedExchange, access: GatewayAccess): unknown {
  const form = new URLSearchParams(body);
  return {
    method,
    path: target,
    headers: { 'content-type': headers['content-type'] },
    form: { grant_type: form.get('grant_type') ?? undefined },
    sends: {
      clientId: form.get('client_id') === access.clientId,
      clientSecret: form.get('client_secret') === access.clientSecret,
      scope: form.get('scope') === access.scope,
    },
  };
}

interface WireComparison {
  readonly expected: WireRequest;
  readonly recorded: readonly RecordedExchange[];
  /** Path of the base address. */
  readonly basePath: string;
  /** The gateway may say more in the query: it always pages. */
  readonly mayAddQuery: boolean;
}

/** In what the gateway's request differs from what the document and the dialect ask for; values are not shown. */
export function wireDifferences({ expected, recorded, basePath, mayAddQuery }: WireComparison): string[] {
  const [only] = recorded;
  if (only === undefined || recorded.length > 1) return [`wire: ${recorded.length} requests instead of one`];
  const { pathname, searchParams } = new URL(only.target, 'http://wire.invalid');
  const query = Object.fromEntries(searchParams);
  const same = {
    method: only.method === expected.method,
    path: pathname === basePath + expected.path,
    query: isDeepStrictEqual(mayAddQuery ? pick(query, Object.keys(expected.query)) : query, expected.query),
    body: isDeepStrictEqual(only.body === '' ? undefined : JSON.parse(only.body), asSent(expected.body)),
  };
  return Object.entries(same).flatMap(([part, isSame]) =>
    isSame ? [] : [`wire: another ${part} than the document's`],
  );
}

/** What JSON makes of it. */
function asSent(body: unknown): unknown {
  return body === undefined ? undefined : (JSON.parse(JSON.stringify(body)) as unknown);
}

function pick(values: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
}
