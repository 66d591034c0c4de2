import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Wording } from '../contract/wordings.js';
import type { CallOperation } from './operation.js';

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

export interface CallPath {
  readonly brandId: string;
  readonly programId: string;
  /** The workflow, transaction type or reward that the path names; empty where it names none. */
  readonly targetId: string;
}

/** One request to the partner's API, as fault kinds and handlers see it. Fault kinds pass on changed copies. */
export interface Call extends CallPath {
  readonly operation: CallOperation;
  /** The caller's `x-request-id`, else our own. */
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly arrivedAt: number;
  /** `http://host:port` of this sandbox as the caller knows it; links in answers begin with it. */
  readonly origin: string;
  readonly wording: Wording;
  /**
   * Whom and what the request names: every plain value of its query, of `person`, of `passdata.metaData` and of a
   * transaction's `attributes`, in this order. Absent: not asked for.
   */
  readonly named?: () => readonly string[];
  /** False lets a unique value or a second pass through. */
  readonly enforceUnique: boolean;
  /** Epoch milliseconds: passes created later are not seen by lookups and listings. Absent: all are. */
  readonly asOf?: number;
}

export interface SandboxRequest extends HttpRequest {
  arrivedAt: number;
  call?: Call;
}

/** Parameter decorator: the call that the answering interceptor prepared. */
export const CurrentCall = createParamDecorator((_data: unknown, context: ExecutionContext): Call => {
  const { call } = context.switchToHttp().getRequest<SandboxRequest>();
  if (call === undefined) throw new Error('a handler with @CurrentCall needs @PartnerEndpoint');
  return call;
});

/** What is read of a request to tell the address it came in by. */
interface AddressedRequest {
  readonly headers: Pick<IncomingHttpHeaders, 'host'>;
  readonly raw: {
    readonly socket: { readonly localAddress?: string | undefined; readonly localPort?: number | undefined };
  };
}

/** A name or an address, perhaps with a port: nothing that could end an attribute or begin a path. */
const hostPattern = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * `http://host:port` of this sandbox as the caller of a request knows it, so that links in the answer work wherever the
 * caller sits (another container, a forwarded port); without a sane Host header, the address that was connected to.
 */
export function ownOrigin(request: AddressedRequest): string {
  const host = request.headers.host ?? '';
  return `http://${hostPattern.test(host) ? host : connectedAddress(request)}`;
}

function connectedAddress({ raw: { socket } }: AddressedRequest): string {
  const address = socket.localAddress ?? '127.0.0.1';
  const port = socket.localPort ?? 80;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
