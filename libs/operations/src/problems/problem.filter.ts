import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { Catch, HttpException } from '@nestjs/common';

import type { Logger } from '#platform';
import { DatabaseError, errorFields } from '#platform';

import { ApiProblem } from './api-problem.js';

/** The part of the HTTP answer that is needed here, whatever the server. */
interface Reply {
  status(code: number): Reply;
  header(name: string, value: string): Reply;
  send(body: string): unknown;
}

const awayRetrySeconds = '5';

const titles: Readonly<Record<number, string>> = {
  400: 'The request cannot be read',
  404: 'There is no such thing',
  405: 'Not this way',
  413: 'The request is too large',
  415: 'The request is of an unknown type',
};

/** Fastify's own refusals carry a status; their messages are rules and quote nothing. */
function statusOf(error: unknown): number | null {
  if (error instanceof HttpException) return error.getStatus();
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
}

function problemOf(error: unknown): ApiProblem | null {
  if (error instanceof ApiProblem) return error;
  if (error instanceof DatabaseError && error.kind !== 'failed') {
    const headers = { 'retry-after': awayRetrySeconds };
    return new ApiProblem({ status: 503, code: 'database-away', title: 'The database does not answer', headers });
  }
  const status = statusOf(error);
  if (status === null || status >= 500) return null;
  return new ApiProblem({ status, code: `http-${status}`, title: titles[status] ?? 'The request is refused' });
}

/** Whatever goes wrong is answered as a problem document; what nobody foresaw is logged, and told to nobody. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const known = problemOf(error);
    if (known === null) this.logger.error(errorFields(error), 'a request failed');
    const problem = known ?? new ApiProblem({ status: 500, code: 'unexpected', title: 'Something went wrong here' });
    const reply = host.switchToHttp().getResponse<Reply>();
    for (const [name, value] of Object.entries(problem.options.headers ?? {})) reply.header(name, value);
    reply.status(problem.options.status).header('content-type', 'application/problem+json; charset=utf-8');
    reply.send(JSON.stringify(problem.document));
  }
}
