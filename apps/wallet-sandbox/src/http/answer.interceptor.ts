import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { firstValueFrom, type Observable, of } from 'rxjs';
import { FaultInjector } from '../faults/fault-injector.js';
import { type Answer, errorAnswer, isDefect, jsonAnswer } from './answer.js';
import type { Call, SandboxRequest } from './call.js';
import { CallFactory, type OperationOf } from './call-factory.js';
import type { HttpReply } from './http-exchange.js';
import { StderrLogger } from './stderr-logger.js';
import { writeAnswer } from './write-answer.js';

/** Metadata key under which an endpoint keeps its operation. */
export const OPERATION = Symbol('operation');

/** Runs a handler inside the faults that strike, and writes what they left of its answer. */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly faults: FaultInjector,
    private readonly calls: CallFactory,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<SandboxRequest>();
    const operation = this.reflector.get<OperationOf>(OPERATION, context.getHandler());
    const answer = await this.faults.around(this.calls.create(request, operation), async (call) => {
      request.call = call;
      return answerOf(next, call);
    });
    return of(writeAnswer(http.getResponse<HttpReply>(), answer));
  }
}

async function answerOf(handler: CallHandler, { operation, wording }: Call): Promise<Answer> {
  try {
    return jsonAnswer(200, await firstValueFrom<unknown>(handler.handle()));
  } catch (error) {
    if (isDefect(error)) StderrLogger.write('error', error);
    return operation === 'token' ? errorAnswer(error) : errorAnswer(error, (message) => wording.frame(message));
  }
}
