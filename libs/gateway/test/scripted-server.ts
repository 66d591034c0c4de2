import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { loopbackCertificate } from '#test-support';

export interface SeenRequest {
  readonly method: string;
  /** Path and query as received. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Which connection carried it, counted from 0. */
  readonly connection: number;
}

/** What the server does with a request that it has read completely. */
export type Reply = (socket: Socket, request: SeenRequest) => void;

/** A server on raw sockets: replies byte by byte as scripted, and remembers every request that reached it. */
export class ScriptedServer {
  readonly seen: SeenRequest[] = [];
  connections = 0;
  private readonly sockets = new Set<Socket>();
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly server: net.Server,
    readonly origin: string,
    public reply: Reply,
  ) {}

  static async start(reply: Reply = answer(200, '{}'), scheme: 'http' | 'https' = 'http'): Promise<ScriptedServer> {
    const server = scheme === 'https' ? tls.createServer(loopbackCertificate) : net.createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const host = scheme === 'https' ? 'localhost' : '127.0.0.1';
    const scripted = new ScriptedServer(server, `${scheme}://${host}:${port}`, reply);
    server.on(scheme === 'https' ? 'secureConnection' : 'connection', (socket: Socket) => scripted.serve(socket));
    return scripted;
  }

  /** Resolves when `count` requests have arrived in all. */
  async arrived(count: number): Promise<void> {
    while (this.seen.length < count) {
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    const connection = this.connections++;
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      for (let next = take(text, connection); next !== null; next = take(text, connection)) {
        text = next.rest;
        this.receive(socket, next.request);
      }
    });
  }

  private receive(socket: Socket, request: SeenRequest): void {
    this.seen.push(request);
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
    this.reply(socket, request);
  }
}

/** Cuts the first complete request off the text, which has one character for each byte. */
function take(text: string, connection: number): { request: SeenRequest; rest: string } | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [start = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const bodyEnd = end + 4 + Number(headers['content-length'] ?? 0);
  if (text.length < bodyEnd) return null;
  const [method = '', path = ''] = start.split(' ');
  return {
    request: {
      method,
      path,
      headers,
      body: Buffer.from(text.slice(end + 4, bodyEnd), 'latin1').toString(),
      connection,
    },
    rest: text.slice(bodyEnd),
  };
}

/** A complete answer. */
export function answer(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return (socket) =>
    void socket.write(head(status, { 'content-length': String(Buffer.byteLength(body)), ...headers }) + body);
}

/** A complete JSON answer. */
export function answerJson(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return answer(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

export function head(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`;
}

/** The connection breaks with a TCP reset, without a byte of an answer. */
export const reset: Reply = (socket) => void socket.resetAndDestroy();

/** The connection ends in order, without a byte of an answer. */
export const hangUp: Reply = (socket) => void socket.end();

/** Never answers. */
export const silence: Reply = () => undefined;

/** Promises 100 bytes, sends a few and breaks off. */
export const cutBody: Reply = (socket) => {
  socket.write(`${head(200, { 'content-length': '100', 'content-type': 'application/json' })}{"a":`, () =>
    socket.end(),
  );
};

/** One reply per request, in order; the last one for all that follow. */
export function inTurn(...replies: readonly [Reply, ...Reply[]]): Reply {
  let turn = 0;
  return (socket, request) => {
    const reply = replies[Math.min(turn, replies.length - 1)] ?? silence;
    turn += 1;
    reply(socket, request);
  };
}
