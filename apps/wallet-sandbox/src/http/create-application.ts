import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  type NestApplicationOptions,
  StandardSchemaValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SandboxModule, type SandboxParts } from '../sandbox.module.js';
import { acceptBodies, bodyBytesMax } from './accept-bodies.js';
import { errorAnswer, isDefect } from './answer.js';
import type { HttpReply, SandboxRequest } from './call.js';
import { InvalidRequest } from './refusal.js';
import { StderrLogger } from './stderr-logger.js';

/** Ids in paths are not limited by Fastify, so that every unknown id gets the same answer; Node limits the head. */
const pathPartCharsMax = 8_192;

/** The HTTP application, ready to listen. */
export async function createApplication(parts: SandboxParts): Promise<NestFastifyApplication> {
  const adapter = createAdapter();
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    stamp(request as unknown as SandboxRequest, reply);
    done();
  });
  const options: NestApplicationOptions = { logger: new StderrLogger(), abortOnError: false };
  const application = await NestFactory.create<NestFastifyApplication>(SandboxModule.with(parts), adapter, options);
  acceptBodies(application);
  application.useGlobalFilters(new MessageFilter());
  application.useGlobalPipes(createValidationPipe());
  return application;
}

function createAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: bodyBytesMax,
    genReqId: requestIdOf,
    routerOptions: { maxParamLength: pathPartCharsMax },
    frameworkErrors: (error: Error, _request: unknown, reply: unknown) => sendError(error, reply as HttpReply),
    clientErrorHandler: answerBrokenRequest,
  });
}

/** The ledger names the request and when it arrived; its answer carries the same id. */
function stamp(request: SandboxRequest, reply: HttpReply): void {
  request.arrivedAt = Date.now();
  reply.header(requestIdHeader, request.id);
}

const requestIdHeader = 'x-request-id';

/** Printable ASCII of a sensible length: it is stored, and comes back in a header. */
const keepableRequestId = /^[\x20-\x7e]{1,200}$/;

/** The caller's `x-request-id` if it can be kept, else one of ours. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[requestIdHeader];
  return typeof given === 'string' && keepableRequestId.test(given) ? given : randomUUID();
}

/** Refuses a body or query that does not fit its schema. */
function createValidationPipe(): StandardSchemaValidationPipe {
  return new StrictValidationPipe({ exceptionFactory: (issues) => new InvalidRequest(issues) });
}

/** Nest would take properties like `constructor` away in silence; here they are unknown ones, or kept as data. */
class StrictValidationPipe extends StandardSchemaValidationPipe {
  protected override stripProtoKeys(): void {
    // The JSON parser refuses what could do harm.
  }
}

/** Everything refused outside an endpoint's handler (unknown path, no token, unreadable body) answers `{message}`. */
@Catch()
class MessageFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    sendError(error, host.switchToHttp().getResponse<HttpReply>());
  }
}

/** Answers an error as `{message}`, and logs it if it is a defect of ours. */
function sendError(error: unknown, reply: HttpReply): void {
  if (isDefect(error)) StderrLogger.write('error', error);
  const answer = errorAnswer(error);
  void reply.status(answer.status).headers(answer.headers).send(answer.body);
}

const parserErrorStatuses: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/** `{message}` for what Node's HTTP parser refuses before there is a request, and the end of the connection. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = parserErrorStatuses[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status] ?? 'Bad Request';
  const body = JSON.stringify({ message: reason });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

/** After so long, connections that still wait for an answer are closed without one. */
const drainMsMax = 10_000;
/** A connection kept alive by a caller turns idle with its last answer and would hold the server open for minutes. */
const idleCheckIntervalMs = 20;

/** Takes no more connections, answers what has arrived, and resolves when the last connection is closed. */
export async function drain(application: NestFastifyApplication): Promise<void> {
  const server: Server = application.getHttpServer();
  const idleCheck = setInterval(() => server.closeIdleConnections(), idleCheckIntervalMs);
  const impatience = setTimeout(() => server.closeAllConnections(), drainMsMax);
  try {
    await application.close();
  } finally {
    clearInterval(idleCheck);
    clearTimeout(impatience);
  }
}
