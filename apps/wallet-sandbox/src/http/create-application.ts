import 'reflect-metadata';
import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SandboxModule, type SandboxParts } from '../sandbox.module.js';
import { acceptBodies, bodyBytesMax } from './accept-bodies.js';
import { answerBrokenRequest } from './answer-broken-request.js';
import type { SandboxRequest } from './call.js';
import type { HttpReply } from './http-exchange.js';
import { MessageFilter, sendError } from './message.filter.js';
import { requestIdHeader, requestIdOf } from './request-id.js';
import { StderrLogger } from './stderr-logger.js';
import { createValidationPipe } from './validation.pipe.js';

/** Ids in paths are not limited by Fastify, so that every unknown id gets the same answer; Node limits the head. */
const pathPartCharsMax = 8_192;

/** The HTTP application, ready to listen. */
export async function createApplication(parts: SandboxParts): Promise<NestFastifyApplication> {
  const adapter = createAdapter();
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    stamp(request as unknown as SandboxRequest, reply);
    done();
  });
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest exports this class as a type only
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
