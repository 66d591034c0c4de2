import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

import { BadRequestException, NotFoundException, PayloadTooLargeException } from '@nestjs/common';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

import { SafeError } from '#platform';

import type { AccessSettings } from './access-settings.js';
import { ApiProblem, problemType, tooManyQuestions } from '../problems/api-problem.js';
import { readRequest } from '../requests/read-request.js';
import type { AnswerLimits } from './answers-under-way.js';
import { answerLimits, AnswersUnderWay } from './answers-under-way.js';
import { CompressedAnswers } from './compressed-answers.js';
import { Authenticator } from './authenticator.js';
import { BodiesUnderWay, bodyLimits } from './bodies-under-way.js';
import { ClientAddresses } from './client-addresses.js';
import type { Operator, Producer } from './operator.js';
import { authorize, forbidden } from './operator.js';
import type { EndTurn, TurnLimits } from './requests-in-turn.js';
import { LongActionsInTurn, RequestsInTurn, turnLimits } from './requests-in-turn.js';
import type { RouteRules } from './route-rules.js';
import { apiBodyBytesMax, isQuestion, rulesFor, rulesIn, wantsRawBody } from './route-rules.js';

const busyRetrySeconds = '1';

/** What one token, or all without one, may have under way. */
interface RequestLimits {
  readonly answers: AnswerLimits;
  readonly turns: TurnLimits;
}

const requestLimits: RequestLimits = { answers: answerLimits, turns: turnLimits };

/** Called with requests as they are admitted: what a connection is worth depends on it. */
export interface AdmissionObserver {
  /** It needs no token. */
  served(socket: Socket): void;
  /** An operator with a token sends it. False: there are too many of them already. */
  admitted(socket: Socket): boolean;
}

const noObserver: AdmissionObserver = { served: () => undefined, admitted: () => true };

/** What Fastify knows of a request when its head has been read. */
interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly is404: boolean;
  readonly params: unknown;
  readonly headers: IncomingMessage['headers'];
  readonly raw: IncomingMessage;
  readonly routeOptions: { readonly config: object; readonly bodyLimit: number };
  operator?: Operator;
  producer?: Producer;
  address?: string;
  /** While it is worked on. */
  endTurn?: EndTurn;
}

/** What Fastify is about to send. */
interface Answering {
  readonly raw: ServerResponse;
  getHeader(name: string): unknown;
  status(code: number): Answering;
  headers(values: Readonly<Record<string, string>>): Answering;
}

type Answered = Pick<Arrived, 'method' | 'headers' | 'operator' | 'producer' | 'endTurn'> & { readonly id: string };

const tooManyAnswers = 'Answers to requests with this token are under way that nobody reads';

function bytesOf(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  return payload instanceof Uint8Array ? payload.byteLength : 0;
}

/** Whose token it is, by what it will be tomorrow, too. */
const nameOf = ({ subject, name }: Operator): string => subject ?? name;

/** The same of whoever was let in; null: it carries none. No operator's name has a space before it. */
function tokenOf({ operator, producer }: Pick<Arrived, 'operator' | 'producer'>): string | null {
  if (operator !== undefined) return nameOf(operator);
  return producer === undefined ? null : ` ${producer.name}`;
}

function busy(code: string, title: string): ApiProblem {
  return new ApiProblem({ status: 503, code, title, headers: { 'retry-after': busyRetrySeconds } });
}

/** How many bytes a body may have, by what its head says; null: there is none. */
function bodyBytesOf({ headers, routeOptions }: Arrived): number | null {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  if (coding !== undefined) return routeOptions.bodyLimit;
  const bytes = Number(length ?? 0);
  return bytes === 0 ? null : bytes;
}

/**
 * Decides about a request when no more than its head has been read: whether there is such a route, whose token it carries and
 * whether that allows it, whether there may be what its path names, and whether its body is not too large. What is refused here
 * has cost no more than its head; the server throws the rest away as it comes.
 */
class Admission {
  private readonly authenticator: Authenticator;
  private readonly addresses: ClientAddresses;
  private readonly answers: AnswersUnderWay;
  /** What is asked and what is done wait apart: a deed never waits for questions. */
  private readonly questions: RequestsInTurn;
  private readonly actions: RequestsInTurn;
  private readonly longActions = new LongActionsInTurn();
  private readonly compressed = new CompressedAnswers();
  private readonly bodies = new BodiesUnderWay(bodyLimits, () => busy('too-many-bodies', 'Too many bodies at once'));

  constructor(
    private readonly settings: AccessSettings,
    private readonly observer: AdmissionObserver,
    { answers, turns }: RequestLimits,
  ) {
    this.answers = new AnswersUnderWay(answers);
    this.questions = new RequestsInTurn(turns);
    this.actions = new RequestsInTurn(turns);
    this.authenticator = new Authenticator(settings);
    this.addresses = new ClientAddresses(settings.trustedProxies);
  }

  /** @throws {ApiProblem} or one of Nest's exceptions, with what is wrong */
  async admit(request: Arrived): Promise<void> {
    if (request.is404) throw new NotFoundException();
    const { params, ...rules } = rulesFor(request.routeOptions.config, this.settings);
    // Postgres keeps no text with U+0000, wherever it comes from.
    if (request.url.includes('%00')) throw new BadRequestException();
    await this.identify(request, rules);
    if (params !== undefined) readRequest(params, request.params);
    if ((bodyBytesOf(request) ?? 0) > request.routeOptions.bodyLimit) throw new PayloadTooLargeException();
  }

  private async identify(
    request: Arrived,
    { role, programs, producersToo }: Pick<RouteRules, 'role' | 'programs' | 'producersToo'>,
  ): Promise<void> {
    const { authorization, 'x-forwarded-for': forwardedFor } = request.headers;
    const address = this.addresses.addressOf(request.raw.socket.remoteAddress ?? '', [forwardedFor].flat().join());
    request.address = address;
    if (role === null) {
      this.observer.served(request.raw.socket);
      return;
    }
    const mayProduce = role === 'producer' || producersToo === true;
    const caller = mayProduce
      ? await this.authenticator.callerOf({ address, authorization })
      : { operator: await this.authenticator.operatorOf({ address, authorization }) };
    if (caller.operator !== undefined) {
      if (role === 'producer') throw forbidden('role', 'Events are written with the token of a producer.');
      authorize(caller.operator, { role, programs }, this.settings);
    }
    // A client that does not read its answers costs no more than this.
    if (!this.answers.fits(tokenOf(caller) ?? '', 1)) throw busy('too-many-answers', tooManyAnswers);
    if (!this.observer.admitted(request.raw.socket)) {
      throw busy('too-many-connections', 'Too many requests are under way');
    }
    Object.assign(request, caller);
  }

  /**
   * Lets a request wait until few others of its token are worked on: from when its body is there until its answer is made, whether
   * or not its client is still there. A stream is never worked off, and waits for nothing.
   * @throws {ApiProblem} where too many wait
   */
  async takeTurn(request: Arrived, response: ServerResponse): Promise<void> {
    const { operator, method, routeOptions } = request;
    const rules = rulesIn(routeOptions.config);
    if (operator === undefined || rules === null || rules.isStream === true) return;
    const end = await this.turnsFor(method, rules).take(nameOf(operator));
    if (end === null) throw tooManyQuestions('Too many requests with this token wait already, or waited for too long.');
    request.endTurn = end;
    if (response.closed) throw tooManyQuestions('The client has left.');
  }

  private turnsFor(method: string, rules: RouteRules): Pick<RequestsInTurn, 'take'> {
    if (isQuestion(method, rules)) return this.questions;
    return rules.isLong === true ? this.longActions : this.actions;
  }

  /**
   * @returns what is sent, compressed where an operator has asked for it and reads that. Others' requests must not have us work for them,
   * and what an action answers may be a secret: neither is compressed.
   */
  async send(request: Answered, reply: Answering, payload: unknown): Promise<unknown> {
    const { operator, method, headers } = request;
    if (operator === undefined || method !== 'GET') return this.answer(request, reply, payload);
    const made = { payload, contentType: reply.getHeader('content-type'), acceptEncoding: headers['accept-encoding'] };
    const compressed = await this.compressed.compress(made);
    const sent = this.answer(request, reply, compressed?.payload ?? payload);
    if (compressed !== null && sent === compressed.payload) {
      reply.headers({ 'content-encoding': compressed.coding, 'content-length': String(compressed.payload.byteLength) });
    }
    reply.headers({ vary: 'accept-encoding' });
    return sent;
  }

  /** @returns what is sent: an answer that finds no room is not kept; what was done is never answered as if it were not */
  private answer({ method, id, endTurn, ...caller }: Answered, reply: Answering, payload: unknown): unknown {
    endTurn?.();
    const token = tokenOf(caller);
    const bytes = method === 'HEAD' ? 0 : bytesOf(payload);
    const isRefused = token !== null && method === 'GET' && !this.answers.fits(token, bytes);
    this.answers.add(token, { bytes: isRefused ? 0 : bytes, response: reply.raw });
    if (!isRefused) return payload;
    const problem = busy('too-many-answers', tooManyAnswers);
    reply.status(problem.options.status).headers({ ...problem.options.headers, 'content-type': problemType });
    return problem.textFor(id);
  }

  /** @returns the body as it is to be read: counted */
  body(request: Arrived, response: ServerResponse, payload: Readable): Readable {
    if (bodyBytesOf(request) === null) return payload;
    const { routeOptions, address = '', url } = request;
    const isDoor = wantsRawBody(routeOptions.config);
    // A signature is known when the body is: until then the bodies of one address and hook share what one token may have.
    const token = tokenOf(request) ?? (isDoor ? `${address} ${url}` : '');
    const room = isDoor ? 'door' : routeOptions.bodyLimit > apiBodyBytesMax ? 'large' : 'small';
    const meter = this.bodies.meter({ token, room, response });
    // A client that leaves in the middle ends it: what is piped tells of no errors.
    payload.once('error', (error) => meter.destroy(error));
    return payload.pipe(meter);
  }
}

/**
 * Has a server decide about requests before it reads their bodies, by what stands at their handlers. To be called before it
 * has any routes: one that does not say who may send its request keeps it from starting.
 */
export function admitBeforeBodies(
  adapter: FastifyAdapter,
  settings: AccessSettings,
  observer = noObserver,
  limits: Partial<RequestLimits> = {},
): void {
  const server = adapter.getInstance();
  const admission = new Admission(settings, observer, { ...requestLimits, ...limits });
  server.addHook('onRoute', (route) => {
    const rules = rulesIn(route.config);
    const name = `${[route.method].flat().join()} ${route.url}`;
    if (rules === null) throw new SafeError(`${name} does not say who may send it`);
    route.bodyLimit = rules.bodyBytesMax;
  });
  server.addHook('onRequest', async (request, reply) => {
    await admission.admit(request);
    // Who asks first whether the body is wanted has not sent it yet.
    if (request.headers.expect !== undefined && !reply.sent) reply.raw.writeContinue();
  });
  server.addHook('preParsing', (request, reply, payload, done) => {
    done(null, admission.body(request, reply.raw, payload as Readable));
  });
  server.addHook('preHandler', (request, reply) => admission.takeTurn(request, reply.raw));
  server.addHook('onSend', async (request: Answered, reply: Answering, payload) =>
    admission.send(request, reply, payload),
  );
}
