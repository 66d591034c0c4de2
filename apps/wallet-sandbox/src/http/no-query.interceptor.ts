import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { HttpRequest } from './http-exchange.js';
import { refuseName } from './invalid-request.js';

/** Refuses parameters where an endpoint has none, in the words of the schemas of those that have some. */
@Injectable()
export class NoQueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query } = context.switchToHttp().getRequest<HttpRequest>();
    const [unknown] = Object.keys(query ?? {});
    if (unknown !== undefined) refuseName(unknown);
    return next.handle();
  }
}
