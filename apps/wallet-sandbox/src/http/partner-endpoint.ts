import { applyDecorators, SetMetadata, UseGuards, UseInterceptors } from '@nestjs/common';
import { BearerGuard } from '../auth/bearer.guard.js';
import { AnswerInterceptor, OPERATION } from './answer.interceptor.js';
import type { OperationOf } from './call-factory.js';

/** Marks a handler as one endpoint of the partner's API: a token is needed, faults and refusals apply. */
export function PartnerEndpoint(operation: OperationOf): MethodDecorator {
  return applyDecorators(SetMetadata(OPERATION, operation), UseGuards(BearerGuard), UseInterceptors(AnswerInterceptor));
}

/** The token endpoint: faults apply, no token is needed. */
export function TokenEndpoint(): MethodDecorator {
  return applyDecorators(SetMetadata(OPERATION, 'token'), UseInterceptors(AnswerInterceptor));
}
