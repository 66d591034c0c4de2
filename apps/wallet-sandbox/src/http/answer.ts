import { type ServerResponse, STATUS_CODES } from 'node:http';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { HttpException } from '@nestjs/common';
import type { Wording } from '../contract/wordings.js';
import type { HttpReply } from './call.js';
import { Refusal } from './refusal.js';

/**
 * How the answer's bytes reach the caller. `dropped`: the connection ends without any; `cut`: in the body's middle;
 * slow ones trickle over `ms`; an `oversized` body is padded to `bytes`; `gzip` and `latin1` say so in their headers.
 */
type Wire = 'whole' | 'dropped' | 'cut' | 'slow-headers' | 'slow-body' | 'oversized' | 'gzip' | 'latin1';

/** An answer before it is written; fault kinds replace or damage it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly wire: Wire;
  readonly ms?: number;
  readonly bytes?: number;
}

/** The connection ends without an answer. */
export const droppedAnswer: Answer = { status: 0, headers: {}, body: '', wire: 'dropped' };

export function jsonAnswer(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
    wire: 'whole',
  };
}

/** The answer with some of it changed; a connection that is broken stays broken, whatever strikes it further. */
export function changeAnswer(answer: Answer, changes: Partial<Answer>): Answer {
  return answer.wire === 'dropped' ? answer : { ...answer, ...changes };
}

interface ErrorBody {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * `{message}` for whatever went wrong, a refusal's as the wording has it; details of a defect stay in the log.
 * @param shape what becomes of a refusal where another shape was chosen
 */
export function errorAnswer(
  error: unknown,
  wording?: Wording,
  shape = (refusal: ErrorBody): ErrorBody => refusal,
): Answer {
  if (error instanceof Refusal) {
    const message = wording === undefined ? error.message : error.say(wording);
    const { status, body } = shape({ status: error.status, body: { ...error.body, message } });
    return jsonAnswer(status, body);
  }
  const status = statusOf(error);
  if (status < 500 && error instanceof Error) return jsonAnswer(status, { message: error.message });
  return jsonAnswer(status, { message: 'Internal error' });
}

/** True for errors that no request has caused: worth a log line. */
export function isDefect(error: unknown): boolean {
  return !(error instanceof Refusal) && statusOf(error) >= 500;
}

/** Nest and Fastify carry the status in different places. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return 500;
  return typeof error.statusCode === 'number' && error.statusCode >= 400 ? error.statusCode : 500;
}

type Write = (response: ServerResponse, answer: Answer) => void;

const damage: Readonly<Record<Exclude<Wire, 'whole'>, Write>> = {
  dropped: (response) => response.socket?.destroy(),
  cut: writeHalf,
  'slow-headers': writeSlowHeaders,
  'slow-body': writeSlowBody,
  oversized: writeOversized,
  gzip: writeGzip,
  latin1: writeLatin1,
};

/**
 * Writes an answer, or what a fault left of it. Returns the body that Nest still has to send: undefined when the
 * connection was taken over.
 */
export function writeAnswer(reply: HttpReply, answer: Answer): string | undefined {
  const { status, headers, body, wire } = answer;
  if (wire === 'whole') {
    void reply.status(status).headers(headers);
    return body;
  }
  reply.hijack();
  damage[wire](reply.raw, answer);
  return undefined;
}

/** Promises the whole body, sends half of it, and ends the connection. */
function writeHalf(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
}

function writeGzip(response: ServerResponse, { status, headers, body }: Answer): void {
  const bytes = gzipSync(body);
  response.writeHead(status, { ...headers, 'content-encoding': 'gzip', 'content-length': bytes.length }).end(bytes);
}

/** With an umlaut in one more property, so that it is no UTF-8; what ISO-8859-1 lacks stands there as JSON's escape. */
function writeLatin1(response: ServerResponse, { status, headers, body }: Answer): void {
  const text = body.startsWith('{"') ? `{"note":"gültig",${body.slice(1)}` : body;
  const bytes = Buffer.from(text.replace(/[^\0-\xff]/g, escaped), 'latin1');
  const type = { 'content-type': 'application/json;charset=ISO-8859-1', 'content-length': bytes.length };
  response.writeHead(status, { ...headers, ...type }).end(bytes);
}

/** Of one UTF-16 unit. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Held in memory once, however large the body and however many callers read one. */
const padding = Buffer.alloc(64 * 1024, 'x');

/** Streams the answer with one more property that pads it to `bytes`; as fast as the caller reads, and no faster. */
function writeOversized(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, answer.headers);
  // A caller that has had enough goes away, which is the point.
  pipeline(Readable.from(padded(answer)), response).catch(() => undefined);
}

function* padded({ body, bytes = 0 }: Answer): Generator<string | Buffer> {
  yield opening(body);
  for (let left = bytes; left > 0; left -= padding.length) yield padding.subarray(0, Math.min(left, padding.length));
  yield '"}';
}

/** The answer's object, left open at its last property. */
function opening(body: string): string {
  if (!body.endsWith('}')) return '{"padding":"';
  return body === '{}' ? '{"padding":"' : `${body.slice(0, -1)},"padding":"`;
}

/** Enough to look like a bad line, few enough to cost nothing. */
const stepsMax = 50;

/** The head comes at once, the body in small pieces over `ms`. */
function writeSlowBody(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  response.flushHeaders();
  void trickle(response, body, answer.ms ?? 0).then(() => response.end());
}

/** The head comes in small pieces over `ms`, written past Node, which would send it whole; then the body. */
function writeSlowHeaders(response: ServerResponse, answer: Answer): void {
  const { socket } = response;
  if (socket === null) return;
  const body = Buffer.from(answer.body);
  void trickle(socket, Buffer.from(headOf(answer, body.length), 'latin1'), answer.ms ?? 0).then(() => socket.end(body));
}

function headOf({ status, headers }: Answer, bodyBytes: number): string {
  const all = { ...headers, 'content-length': String(bodyBytes), connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${lines.join('')}\r\n`;
}

/** Ends early when the caller goes away. */
async function trickle(target: Writable, bytes: Buffer, ms: number): Promise<void> {
  const steps = Math.max(1, Math.min(stepsMax, bytes.length));
  const gone = new AbortController();
  target.once('close', () => gone.abort());
  for (let step = 0; step < steps && !target.destroyed; step += 1) {
    target.write(bytes.subarray((bytes.length * step) / steps, (bytes.length * (step + 1)) / steps));
    await delay(ms / steps, undefined, { signal: gone.signal }).catch(() => undefined);
  }
}
