import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { runCommandLine } from '../../command-line/program.js';
import type { Terminal } from '../../command-line/terminal.js';
import { ReaderGone } from '../../command-line/terminal.js';

/** A request as it came in. */
export interface FakeRequest {
  /** Such as `GET /intents`, below `/api/v1`. */
  readonly call: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly headers: IncomingMessage['headers'];
}

export interface FakeAnswer {
  readonly status?: number;
  /** JSON; a string is sent as it is. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is answered; by call, such as `GET /intents`. */
export type Script = Readonly<Record<string, (request: FakeRequest) => FakeAnswer | null>>;

export interface FakeApi {
  readonly server: string;
  readonly requests: readonly FakeRequest[];
  /** What is answered from now on. */
  play(script: Script): void;
  close(): Promise<void>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, { status = 200, body, headers = {} }: FakeAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A problem document as the operations API answers it. */
export function problem(status: number, code: string, detail?: string): FakeAnswer {
  return { status, body: { type: `urn:loyaltyd:problem:${code}`, title: 'It is refused', status, detail } };
}

const noSuchPath = problem(404, 'http-404');

/** A server of a test that answers as the operations API would. An answer of null breaks the connection. */
export async function startFakeApi(): Promise<FakeApi> {
  const requests: FakeRequest[] = [];
  let script: Script = {};
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
    const text = await textOf(request);
    const received: FakeRequest = {
      call: `${request.method ?? ''} ${pathname.replace(/^\/api\/v1/, '')}`,
      query: Object.fromEntries(searchParams),
      body: text === '' ? null : (JSON.parse(text) as unknown),
      headers: request.headers,
    };
    requests.push(received);
    const reply = script[received.call];
    const said = reply === undefined ? noSuchPath : reply(received);
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

export interface FakeTerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard output and standard error are a screen. */
  readonly isScreen?: boolean;
  /** What the person answers, one after the other; without any there is no terminal. */
  readonly answers?: readonly string[];
  readonly input?: string;
  /** The reader of standard output goes away after so many writes. */
  readonly readsMax?: number;
}

interface FakeTerminal extends Terminal {
  stdout(): string;
  stderr(): string;
}

/** A terminal that a test reads and answers for. */
export function fakeTerminal(options: FakeTerminalOptions = {}): FakeTerminal {
  const { env = {}, isScreen = false, answers, input = '', readsMax = Infinity } = options;
  const [printed, reported]: [string[], string[]] = [[], []];
  const left = [...(answers ?? [])];
  const answer = async (question: string): Promise<string> => {
    reported.push(`${question}\n`);
    const next = left.shift();
    if (next === undefined) throw new Error(`nobody answers: ${question}`);
    return next;
  };
  return {
    env,
    isOutputSeen: isScreen,
    isErrorSeen: isScreen,
    isInteractive: answers !== undefined,
    print: async (text) => {
      if (printed.length >= readsMax) throw new ReaderGone();
      printed.push(text);
    },
    report: (line) => void reported.push(`${line}\n`),
    reportOver: (line, isLast) => void reported.push(`\r${line}${isLast ? '\n' : ''}`),
    ask: answer,
    askSecret: answer,
    onInterrupt: () => () => undefined,
    readInput: async () => Buffer.from(input),
    stdout: () => printed.join(''),
    stderr: () => reported.join(''),
  };
}

/** How a command ended, and what it said. */
export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process against a fake API. */
export async function runAgainst(
  api: FakeApi,
  words: readonly string[],
  { script, ...options }: FakeTerminalOptions & { readonly script: Script },
): Promise<Run> {
  api.play(script);
  const env = { LOYALTYD_SERVER: api.server, LOYALTYD_TOKEN: 't', ...options.env };
  const terminal = fakeTerminal({ ...options, env });
  const code = await runCommandLine(words, terminal);
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}
