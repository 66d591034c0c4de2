import { applyDecorators, SetMetadata, UseGuards, UseInterceptors } from '@nestjs/common';
import { BearerGuard } from '../auth/bearer.guard.js';
import { AnswerInterceptor } from './answer.interceptor.js';
import { OPERATION, type OperationOf } from './call-factory.js';
import { DESCRIPTION, type EndpointDescription } from './endpoint-description.js';

/**
 * Marks a handler as one endpoint of the partner's API: a token is needed, faults and refusals apply. What it says
 * about itself goes to `/openapi.json`, beside the schemas of its `@Query` and `@Body`.
 */
export function PartnerEndpoint(operation: OperationOf, description?: EndpointDescription): MethodDecorator {
  return applyDecorators(
    SetMetadata(OPERATION, operation),
    SetMetadata(DESCRIPTION, description),
    UseGuards(BearerGuard),
    UseInterceptors(AnswerInterceptor),
  );
}

/** The token endpoint: faults apply, no token is needed. */
export function TokenEndpoint(description?: EndpointDescription): MethodDecorator {
  return applyDecorators(
    SetMetadata(OPERATION, 'token'),
    SetMetadata(DESCRIPTION, description),
    UseInterceptors(AnswerInterceptor),
  );
}
