import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came in. */
export interface PlayedRequest {
  /** Such as `GET /intents`, below `/api/v1`. */
  readonly call: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly headers: IncomingMessage['headers'];
}

export interface PlayedAnswer {
  readonly status?: number;
  /** JSON; a string is sent as it is. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is answered; by call, such as `GET /intents`. */
export type Script = Readonly<Record<string, (request: PlayedRequest) => PlayedAnswer | null>>;

export interface PlayedApi {
  readonly server: string;
  readonly requests: readonly PlayedRequest[];
  /** What is answered from now on. */
  play(script: Script): void;
  close(): Promise<void>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, { status = 200, body, headers = {} }: PlayedAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A problem document as the operations API answers it. */
export function problem(status: number, code: string, detail?: string): PlayedAnswer {
  return { status, body: { type: `urn:loyaltyd:problem:${code}`, title: 'It is refused', status, detail } };
}

const noSuchPath = problem(404, 'http-404');

/** A server of a test that answers as the operations API would. An answer of null breaks the connection. */
export async function playedApi(): Promise<PlayedApi> {
  const requests: PlayedRequest[] = [];
  let script: Script = {};
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://played');
    const text = await textOf(request);
    const played: PlayedRequest = {
      call: `${request.method ?? ''} ${pathname.replace(/^\/api\/v1/, '')}`,
      query: Object.fromEntries(searchParams),
      body: text === '' ? null : (JSON.parse(text) as unknown),
      headers: request.headers,
    };
    requests.push(played);
    const reply = script[played.call];
    const said = reply === undefined ? noSuchPath : reply(played);
    if (said === null) request.socket.destroy();
    else answer(response, said);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    play: (next) => {
      requests.length = 0;
      script = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
