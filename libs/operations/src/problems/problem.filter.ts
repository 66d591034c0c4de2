import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { Catch } from '@nestjs/common';

import type { Logger } from '#platform';
import { errorFields } from '#platform';

import type { ProblemReply } from './send-problem.js';
import { problemOf, sendProblem } from './send-problem.js';

/** Whatever goes wrong is answered as a problem document; what nobody foresaw is logged, and told to nobody. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const known = problemOf(error);
    if (known === null) this.logger.error(errorFields(error), 'a request failed');
    sendProblem(known, host.switchToHttp().getResponse<ProblemReply>());
  }
}
