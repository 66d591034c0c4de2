import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { Catch, HttpException } from '@nestjs/common';

import { DatabaseError, errorFields, Logger, ReadersBusyError } from '#platform';

interface ProblemOptions {
  readonly status: number;
  /** Stable, for programs. */
  readonly code: string;
  /** The same for all problems of that code. */
  readonly title: string;
  /** What is wrong this time, for people. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an answer with `application/problem+json` holds (RFC 9457), besides its `instance`. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
}

/** A request that is refused, with the reason that the caller sees. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  constructor(readonly options: ProblemOptions) {
    super(options.detail ?? options.title);
  }

  get document(): ProblemDocument {
    const { status, code, title, detail } = this.options;
    return { type: `urn:loyaltyd:problem:${code}`, title, status, ...(detail === undefined ? {} : { detail }) };
  }

  /** The document as it is answered to that request. */
  textFor(requestId: string): string {
    return JSON.stringify({ ...this.document, instance: `urn:loyaltyd:request:${requestId}` });
  }
}

/** The part of the HTTP answer that is needed here, whatever the server. */
export interface ProblemReply {
  readonly request: { readonly id: string };
  status(code: number): ProblemReply;
  header(name: string, value: string): ProblemReply;
  send(body: string): unknown;
}

export const problemType = 'application/problem+json; charset=utf-8';

const awayRetrySeconds = '5';
const busyRetrySeconds = '1';

const titles: Readonly<Record<number, string>> = {
  400: 'The request cannot be read',
  404: 'There is no such thing',
  405: 'Not this way',
  408: 'The request took too long',
  413: 'The request is too large',
  414: 'The address is too long',
  415: 'The request is of an unknown type',
  417: 'The expectation cannot be met',
  431: 'The head of the request is too large',
};

/** Fastify's own refusals carry a status; their messages may quote the address, which names members. */
function statusOf(error: unknown): number | null {
  if (error instanceof HttpException) return error.getStatus();
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}

/** What is refused by the rules of HTTP alone, or by what a body is written in. */
export function httpProblem(status: number, detail?: string): ApiProblem {
  const title = titles[status] ?? 'The request is refused';
  return new ApiProblem({ status, code: `http-${status}`, title, ...(detail !== undefined && { detail }) });
}

/** Postgres has ended a statement that took longer than it may. */
const statementEnded = '57014';

/** So many ask that nobody had a connection for this one. */
export function tooManyQuestions(detail: string): ApiProblem {
  const headers = { 'retry-after': busyRetrySeconds };
  return new ApiProblem({ status: 503, code: 'too-many-questions', title: 'Too many are asking', detail, headers });
}

function tooExpensive(): ApiProblem {
  return new ApiProblem({
    ...{ status: 503, code: 'too-expensive', title: 'This takes too long' },
    detail:
      'The database was asked for longer than one question may take. Narrow it: a shorter time (from, to), one program, one ' +
      'member, fewer at once (limit).',
  });
}

/** What the caller sees of an error; null for an unforeseen one. */
export function problemOf(error: unknown): ApiProblem | null {
  if (error instanceof ApiProblem) return error;
  if (error instanceof ReadersBusyError) return tooManyQuestions('All connections for reading are taken. Ask again.');
  if (error instanceof DatabaseError && error.sqlState === statementEnded) return tooExpensive();
  if (error instanceof DatabaseError && error.kind !== 'failed') {
    const headers = { 'retry-after': awayRetrySeconds };
    return new ApiProblem({ status: 503, code: 'database-away', title: 'The database does not answer', headers });
  }
  const status = statusOf(error);
  return status === null || status >= 500 ? null : httpProblem(status);
}

/** Answers with a problem document (RFC 9457): of an unforeseen error it says nothing. */
export function sendProblem(known: ApiProblem | null, reply: ProblemReply): void {
  const problem = known ?? new ApiProblem({ status: 500, code: 'unexpected', title: 'Something went wrong here' });
  for (const [name, value] of Object.entries(problem.options.headers ?? {})) reply.header(name, value);
  reply.status(problem.options.status).header('content-type', problemType);
  reply.send(problem.textFor(reply.request.id));
}

/** Answers every error as a problem document; an unforeseen one is logged, and not shown. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<ProblemReply>();
    const known = problemOf(error);
    if (known === null) this.logger.error({ ...errorFields(error), requestId: reply.request.id }, 'a request failed');
    sendProblem(known, reply);
  }
}
