import { isUtf8 } from 'node:buffer';
import type { Server } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Refusal } from './refusal.js';
import { nestingDepth } from './nesting-depth.js';

/** Fastify's own default, said aloud because it is part of what a caller may rely on. */
export const bodyBytesMax = 1024 * 1024;
/** A pass, its metaData and a schedule's change need six. */
const nestingDepthMax = 64;

const tokenPath = '/oauth2/token';

/** JSON everywhere, a form for the token request (partner-api.md section 1), and nothing else: 415. */
export function acceptBodies(application: NestFastifyApplication): void {
  const fastify = application.getHttpAdapter().getInstance();
  fastify.removeContentTypeParser('text/plain');
  const parse = fastify.getDefaultJsonParser('error', 'error');
  application.useBodyParser<Server>('application/json', { bodyLimit: bodyBytesMax }, (request, body, done) => {
    const problem = problemOf(body);
    if (problem !== null) done(new Refusal(400, { message: problem }));
    // Some clients say JSON and send nothing, which is right where no body is expected (4.6).
    else if (body.length === 0) done(null, undefined);
    else void parse(request, body.toString(), done);
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isMisplacedForm(request.headers['content-type'], request.routeOptions.url)) {
      done(new Refusal(415, { message: 'the body must be application/json' }));
    } else done();
  });
}

function isMisplacedForm(contentType: string | undefined, path: string | undefined): boolean {
  return contentType?.startsWith('application/x-www-form-urlencoded') === true && path !== tokenPath;
}

function problemOf(body: Buffer): string | null {
  if (!isUtf8(body)) return 'the body is not UTF-8';
  return nestingDepth(body) > nestingDepthMax ? `the body nests more than ${nestingDepthMax} levels` : null;
}
