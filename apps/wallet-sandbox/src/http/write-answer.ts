import type { Answer } from './answer.js';
import type { HttpReply } from './http-exchange.js';

/**
 * Writes an answer, or what a fault left of it. Returns the body that Nest still has to send: undefined when the
 * connection was taken over.
 */
export function writeAnswer(reply: HttpReply, answer: Answer): string | undefined {
  switch (answer.wire) {
    case 'whole':
      void reply.status(answer.status).headers(answer.headers);
      return answer.body;
    case 'dropped':
      reply.hijack();
      reply.raw.socket?.destroy();
      return undefined;
    case 'cut':
      writeHalf(reply, answer);
      return undefined;
    default:
      return answer.wire satisfies never;
  }
}

/** Promises the whole body, sends half of it, and ends the connection. */
function writeHalf(reply: HttpReply, answer: Answer): void {
  const body = Buffer.from(answer.body);
  reply.hijack();
  reply.raw.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  reply.raw.write(body.subarray(0, body.length >> 1), () => reply.raw.socket?.destroy());
}
