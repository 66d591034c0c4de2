import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { finalize } from 'rxjs';

import { OperationsObserver } from './operations-observer.js';
import type { AdmittedRequest } from './operator.js';

const reading: readonly string[] = ['GET', 'HEAD'];

interface AskedRequest extends AdmittedRequest {
  readonly method: string;
}

/**
 * After every request that may have changed something, also one that failed: a part of it may be done. The loops that carry on what
 * was asked for need not look for it every second. A request without a token has changed nothing here and wakes nothing.
 */
@Injectable()
export class WakeAfterWriteInterceptor implements NestInterceptor {
  constructor(private readonly observer: OperationsObserver) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { method, operator } = context.switchToHttp().getRequest<AskedRequest>();
    if (reading.includes(method) || operator === undefined) return next.handle();
    return next.handle().pipe(
      finalize(() => {
        this.observer.written();
      }),
    );
  }
}
