import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

import { FastifyAdapter } from '@nestjs/platform-fastify';

import { apiDepthMax, decodeUtf8, exceedsDepth } from '#contracts';
import type { ProblemReply } from '#operations';
import { apiBodyBytesMax, httpProblem, problemOf, problemType, sendProblem, wantsRawBody } from '#operations';

import { ConnectionTable } from './connection-table.js';
import { RequestGate, RequestTurns } from './request-gate.js';

/** Fastify lets ids have 100 characters; ours have 256 at most, and three of them make an intent's. Node limits the head. */
const pathPartCharsMax = 8_192;

/** How long a client may take, and how many may be connected at once. */
export interface HttpLimits {
  /** From the first byte of a request, or from the connection itself, to the end of its head. */
  readonly headersTimeoutMs: number;
  /** The same to the end of its body. */
  readonly requestTimeoutMs: number;
  /** How often the two are looked at. */
  readonly checkMs: number;
  /** A connection without a request is kept so long: longer than proxies usually keep theirs. */
  readonly keepAliveTimeoutMs: number;
  /** Nothing was sent either way meanwhile; a stream is heard of every 15 s. */
  readonly silenceMsMax: number;
  /** A client that still sends a large body after the answer has so long to read it; then the connection is closed. */
  readonly lingerMs: number;
  /** What is read of a body before the handler wants it, and written of an answer before the client does. */
  readonly aheadBytesMax: number;
  readonly connectionsMax: number;
  /** Of these, so many always remain for requests that carry no token, such as probes. */
  readonly connectionsWithoutTokenMin: number;
  /** In so long so many requests begin, of all connections together; others wait. */
  readonly turnMs: number;
  readonly begunPerTurnMax: number;
}

export const httpLimits: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkMs: 1_000,
  keepAliveTimeoutMs: 65_000,
  silenceMsMax: 120_000,
  lingerMs: 1_000,
  aheadBytesMax: 16 * 1024,
  connectionsMax: 512,
  connectionsWithoutTokenMin: 128,
  turnMs: 10,
  begunPerTurnMax: 8,
};

const requestIdHeader = 'x-request-id';
const requestIdPattern = /^[\w.:=+-]{1,64}$/;

/** As its sender calls the request, where that can be kept and shown; else a name of ours, which it then has. */
function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers[requestIdHeader];
  const id = typeof sent === 'string' && requestIdPattern.test(sent) ? sent : randomUUID();
  headers[requestIdHeader] = id;
  return id;
}

/** Every answer is for one caller, has the type that it names, and is no page: no cache keeps it, no browser guesses or frames it. */
const headersOfAll: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const statusByErrorCode: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Closed at once, a connection on which something still comes is reset, and its client may lose the answer that it has not read
 * (RFC 9112, section 9.6).
 */
function closeInTime(socket: Duplex, lingerMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

interface Refused {
  readonly isAnswered: boolean;
  readonly lingerMs: number;
}

/** What Node refuses before there is a request. */
function refuse(error: Error & { readonly code?: string }, socket: Duplex, refused: Refused): void {
  if (error.code === 'ECONNRESET' || !socket.writable || refused.isAnswered) {
    socket.destroy();
    return;
  }
  const status = statusByErrorCode[error.code ?? ''] ?? 400;
  const requestId = randomUUID();
  const body = httpProblem(status).textFor(requestId);
  const headers = {
    ...headersOfAll,
    [requestIdHeader]: requestId,
    'content-type': problemType,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  closeInTime(socket, refused.lingerMs);
}

/** What Node would refuse without a word of why. */
function refuseHead(request: IncomingMessage, response: ServerResponse, status: number): void {
  const body = httpProblem(status).textFor(requestIdOf(request));
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'content-type': problemType, 'content-length': length, connection: 'close' });
  response.end(body);
}

/** RFC 9112, section 3.2. */
function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

/** A body that is hardly worth another connection: Node reads the rest of it and throws it away. */
function isSmallBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= apiBodyBytesMax;
}

/**
 * Node would read whatever follows its answer as fast as it comes, and two hundred senders at once leave no time for probes. So a
 * large body is read by the handler that wants it, or waits in the kernel. Its connection is not used again: it is ended after the answer,
 * and closed when its sender has had the time to read that (RFC 9112, section 9.6).
 */
function leaveUnread(request: IncomingMessage, response: ServerResponse, lingerMs: number): void {
  if (isSmallBody(request)) return;
  const { socket } = request;
  response.setHeader('connection', 'close');
  // A handler has begun to read it, as far as Node shows.
  request.read(0);
  const destroySoon = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (request.complete) {
      destroySoon();
      return;
    }
    socket.end();
    closeInTime(socket, lingerMs);
  };
}

function serverOf(handler: RequestListener, limits: HttpLimits, connections: ConnectionTable): Server {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    highWaterMark: limits.aheadBytesMax,
    // It would be an empty answer.
    requireHostHeader: false,
  });
  server.setTimeout(limits.silenceMsMax);
  const turns = new RequestTurns(limits);
  const gates = new WeakMap<object, RequestGate>();
  const arrive = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { socket } = request;
    if (gates.get(socket)?.begin(request, response) !== true) return false;
    response.once('finish', () => {
      connections.answered(socket);
    });
    leaveUnread(request, response, limits.lingerMs);
    for (const [name, value] of Object.entries(headersOfAll)) response.setHeader(name, value);
    response.setHeader(requestIdHeader, requestIdOf(request));
    return true;
  };
  const listen = (request: IncomingMessage, response: ServerResponse): void => {
    if (!arrive(request, response)) return;
    if (lacksHost(request)) refuseHead(request, response, 400);
    else handler(request, response);
  };
  server.on('connection', (socket) => {
    connections.opened(socket);
    gates.set(socket, new RequestGate(socket, turns));
  });
  server.on('request', listen);
  // A client that asks whether a body is wanted is answered when the head has been judged.
  server.on('checkContinue', listen);
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (arrive(request, response)) refuseHead(request, response, 417);
  });
  server.on('clientError', (error, socket) => {
    const answer = gates.get(socket)?.answer;
    refuse(error, socket, {
      isAnswered: answer?.headersSent === true && !answer.closed,
      lingerMs: limits.lingerMs,
    });
  });
  return server;
}

/**
 * Bodies of the API: strict UTF-8, bounded in depth before they are parsed, for schemas and masks walk them by calling themselves.
 * The parser of Fastify then refuses what would be harmful as an object; admission bounds their size, route by route. What is
 * written at the door goes on as it came, whatever its type.
 */
function readBodiesStrictly(adapter: FastifyAdapter): void {
  const parse = adapter.getInstance().getDefaultJsonParser('error', 'error');
  adapter.useBodyParser('application/json', false, { bodyLimit: apiBodyBytesMax }, (request, body, done) => {
    if (wantsRawBody(request.routeOptions.config)) {
      done(null, body);
      return;
    }
    const text = decodeUtf8(body);
    if (text === null) done(httpProblem(400, 'the body is no UTF-8'));
    else if (exceedsDepth(text, apiDepthMax)) done(httpProblem(400, `the body is nested deeper than ${apiDepthMax}`));
    else void parse(request, text, done);
  });
  // Fastify's own would make text of it.
  adapter.getInstance().removeContentTypeParser('text/plain');
  adapter.getInstance().addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (wantsRawBody(request.routeOptions.config)) done(null, body);
    else done(httpProblem(415));
  });
}

export interface HttpServer {
  readonly adapter: FastifyAdapter;
  /** Receives requests as they are admitted. */
  readonly connections: ConnectionTable;
}

/**
 * Serves everything below the base path too, as a proxy passes it on that keeps the path. Without it everything stays where
 * it was: probes and scrapes come past the proxy.
 *
 * @param basePath `/`, or a path without a slash at its end
 */
export function createHttpServer(basePath: string, limits: HttpLimits = httpLimits): HttpServer {
  const connections = new ConnectionTable(limits, () => performance.now());
  const adapter = new FastifyAdapter({
    bodyLimit: apiBodyBytesMax,
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: pathPartCharsMax },
    // What Fastify refuses before there is a route, such as an address that cannot be decoded.
    frameworkErrors: (error: Error, _request: unknown, reply: unknown) =>
      sendProblem(problemOf(error), reply as ProblemReply),
    serverFactory: (handler: RequestListener) => serverOf(handler, limits, connections),
    clientErrorHandler: () => undefined,
    ...(basePath !== '/' && { rewriteUrl: ({ url = '/' }: IncomingMessage) => belowBasePath(url, basePath) }),
  });
  readBodiesStrictly(adapter);
  // Once it is closed the server looks at no time-outs any more: who has not asked for anything yet must not hold it up.
  adapter.getInstance().addHook('preClose', async () => {
    connections.closeIdle();
  });
  return { adapter, connections };
}

function belowBasePath(url: string, basePath: string): string {
  const rest = url.startsWith(basePath) ? url.slice(basePath.length) : null;
  if (rest === null) return url;
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : url;
}
