import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SandboxModule, type SandboxParts } from '../sandbox.module.js';
import type { SandboxRequest } from './call.js';
import type { HttpReply } from './http-exchange.js';
import { MessageFilter } from './message.filter.js';
import { StderrLogger } from './stderr-logger.js';
import { createValidationPipe } from './validation.pipe.js';

const requestIdHeader = 'x-request-id';

/** The HTTP application, ready to listen. */
export async function createApplication(parts: SandboxParts): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({ requestIdHeader, genReqId: () => randomUUID() });
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    stamp(request as unknown as SandboxRequest, reply);
    done();
  });
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest exports this class as a type only
  const options: NestApplicationOptions = { logger: new StderrLogger(), abortOnError: false };
  const application = await NestFactory.create<NestFastifyApplication>(SandboxModule.with(parts), adapter, options);
  acceptEmptyJson(application);
  application.useGlobalFilters(new MessageFilter());
  application.useGlobalPipes(createValidationPipe());
  return application;
}

/** The ledger names the request and when it arrived; its answer carries the same id. */
function stamp(request: SandboxRequest, reply: HttpReply): void {
  request.arrivedAt = Date.now();
  reply.header(requestIdHeader, request.id);
}

/** Some clients say JSON and send nothing, which is right where no body is expected (4.6). */
function acceptEmptyJson(application: NestFastifyApplication): void {
  const parse = application.getHttpAdapter().getInstance().getDefaultJsonParser('error', 'error');
  application.useBodyParser<Server>('application/json', {}, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else void parse(request, body.toString(), done);
  });
}
