import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { errorAnswer, isDefect } from './answer.js';
import { StderrLogger } from './stderr-logger.js';

/** Everything refused outside an endpoint's handler (unknown path, no token, unreadable body) answers `{message}`. */
@Catch()
export class MessageFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    if (isDefect(error)) StderrLogger.write('error', error);
    const answer = errorAnswer(error);
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.status(answer.status).headers(answer.headers).send(answer.body);
  }
}
