import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Observable } from 'rxjs';

import { asReader } from '#platform';

import { isQuestion, routeMetadata, rulesIn } from './route-rules.js';

/**
 * What a question asks of the database goes to the readers' connections, in whatever service and repository; so does what its handler
 * begins. What changes something, probes and metrics go to those of the process: they wait for no reader.
 */
@Injectable()
export class ReadersInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const rules = rulesIn(this.reflector.get<object | undefined>(routeMetadata, context.getHandler()));
    const { method } = context.switchToHttp().getRequest<{ readonly method: string }>();
    if (rules === null || !isQuestion(method, rules)) return next.handle();
    return new Observable((subscriber) => asReader(() => next.handle().subscribe(subscriber)));
  }
}
