import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './answer.js';

/** Enough to look like a bad line, few enough to cost nothing. */
const stepsMax = 50;

/** The head comes at once, the body in small pieces over `ms`. */
export function writeSlowBody(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  response.flushHeaders();
  void trickle(response, body, answer.ms ?? 0).then(() => response.end());
}

/** The head comes in small pieces over `ms`, written past Node, which would send it whole; then the body. */
export function writeSlowHeaders(response: ServerResponse, answer: Answer): void {
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
