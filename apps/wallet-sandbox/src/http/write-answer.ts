import type { ServerResponse } from 'node:http';
import type { Answer, Wire } from './answer.js';
import type { HttpReply } from './http-exchange.js';
import { writeOversized } from './write-oversized.js';
import { writeSlowBody, writeSlowHeaders } from './write-slowly.js';

type Write = (response: ServerResponse, answer: Answer) => void;

const damage: Readonly<Record<Exclude<Wire, 'whole'>, Write>> = {
  dropped: (response) => response.socket?.destroy(),
  cut: writeHalf,
  'slow-headers': writeSlowHeaders,
  'slow-body': writeSlowBody,
  oversized: writeOversized,
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
