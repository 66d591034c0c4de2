import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** What the sandbox uses of Fastify's request. */
export interface HttpRequest {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: unknown;
  query: unknown;
  body: unknown;
  readonly raw: IncomingMessage;
}

/** What the sandbox uses of Fastify's reply. */
export interface HttpReply {
  status(code: number): HttpReply;
  header(name: string, value: string): HttpReply;
  headers(values: Readonly<Record<string, string>>): HttpReply;
  send(body: string): HttpReply;
  /** From here on the bytes are ours. */
  hijack(): HttpReply;
  readonly raw: ServerResponse;
}
