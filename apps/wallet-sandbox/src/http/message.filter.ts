import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { errorAnswer, isDefect } from './answer.js';
import type { HttpReply } from './http-exchange.js';
import { StderrLogger } from './stderr-logger.js';

/** Everything refused outside an endpoint's handler (unknown path, no token, unreadable body) answers `{message}`. */
@Catch()
export class MessageFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    sendError(error, host.switchToHttp().getResponse<HttpReply>());
  }
}

/** Answers an error as `{message}`, and logs it if it is a defect of ours. */
export function sendError(error: unknown, reply: HttpReply): void {
  if (isDefect(error)) StderrLogger.write('error', error);
  const answer = errorAnswer(error);
  void reply.status(answer.status).headers(answer.headers).send(answer.body);
}
