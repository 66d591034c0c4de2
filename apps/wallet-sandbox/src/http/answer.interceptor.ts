import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { firstValueFrom, type Observable, of } from 'rxjs';
import { FaultInjector } from '../faults/fault-injector.js';
import { type Answer, errorAnswer, isDefect, jsonAnswer } from './answer.js';
import type { Call, SandboxRequest } from './call.js';
import { CallFactory } from './call-factory.js';
import type { HttpReply } from './http-exchange.js';
import { Spelling } from '../spelling/spelling.js';
import { StderrLogger } from './stderr-logger.js';
import { writeAnswer } from './write-answer.js';

/** Runs a handler inside the faults that strike, and writes what they left of its answer. */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  constructor(
    private readonly faults: FaultInjector,
    private readonly calls: CallFactory,
    private readonly spelling: Spelling,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<SandboxRequest>();
    const { query, body } = request;
    const answer = await this.faults.around(this.calls.create(request, context.getHandler()), (call) =>
      this.answerOf(call, () => {
        request.call = call;
        request.query = this.spelling.readQuery(call.operation, query);
        request.body = this.spelling.readBody(call.operation, body);
        return firstValueFrom<unknown>(next.handle());
      }),
    );
    return of(writeAnswer(http.getResponse<HttpReply>(), answer));
  }

  private async answerOf({ operation, wording }: Call, handle: () => Promise<unknown>): Promise<Answer> {
    try {
      const value = this.spelling.writeAnswer(operation, await handle());
      return jsonAnswer(this.spelling.successStatus(operation), value);
    } catch (error) {
      if (isDefect(error)) StderrLogger.write('error', error);
      return errorAnswer(error, operation === 'token' ? undefined : wording);
    }
  }
}
