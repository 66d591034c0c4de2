import { isUtf8 } from 'node:buffer';
import type { Server } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mayLoseDigits, parseExact } from '../store/exact-json.js';
import { Refusal } from './refusal.js';

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
    else {
      const text = body.toString();
      void parse(request, text, mayLoseDigits(text) ? withAllDigits(text, done) : done);
    }
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isMisplacedForm(request.headers['content-type'], request.routeOptions.url)) {
      done(new Refusal(415, { message: 'the body must be application/json' }));
    } else done();
  });
}

type Done = (error: Error | null, value?: unknown) => void;

/** The parser of Fastify finds what is no JSON, or would be harmful as an object; numbers are then read exactly. */
function withAllDigits(text: string, done: Done): Done {
  return (error, value) => {
    if (error === null) done(null, parseExact(text));
    else done(error, value);
  };
}

function isMisplacedForm(contentType: string | undefined, path: string | undefined): boolean {
  return contentType?.startsWith('application/x-www-form-urlencoded') === true && path !== tokenPath;
}

function problemOf(body: Buffer): string | null {
  if (!isUtf8(body)) return 'the body is not UTF-8';
  return nestingDepth(body) > nestingDepthMax ? `the body nests more than ${nestingDepthMax} levels` : null;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * How deep the arrays and objects of a JSON text nest, at most. Read from the bytes before they are parsed: what reads
 * a value later (Postgres, `JSON.stringify`) walks it by calling itself and would run out of stack.
 */
export function nestingDepth(json: Uint8Array): number {
  let depth = 0;
  let depthMax = 0;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index] ?? 0;
    if (byte === quote) index = endOfString(json, index + 1);
    else depth += stepOf(byte);
    if (depth > depthMax) depthMax = depth;
  }
  return depthMax;
}

/** Every request's every byte comes by here. */
function stepOf(byte: number): number {
  if (byte === openBrace || byte === openBracket) return 1;
  return byte === closeBrace || byte === closeBracket ? -1 : 0;
}

function endOfString(json: Uint8Array, start: number): number {
  let index = start;
  while (index < json.length && json[index] !== quote) index += json[index] === backslash ? 2 : 1;
  return index;
}
