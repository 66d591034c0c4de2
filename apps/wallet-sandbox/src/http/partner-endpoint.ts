import { applyDecorators, SetMetadata, UseGuards, UseInterceptors } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { BearerGuard } from '../auth/bearer.guard.js';
import { AnswerInterceptor } from './answer.interceptor.js';
import { OPERATION, type OperationOf } from './call-factory.js';
import { DESCRIPTION, type EndpointDescription } from './endpoint-description.js';
import { NoQueryInterceptor } from './no-query.interceptor.js';

/**
 * Marks a handler as one endpoint of the partner's API: a token is needed, faults and refusals apply. What it says
 * about itself goes to `/openapi.json`, beside the schemas of its `@Query` and `@Body`.
 */
export function PartnerEndpoint(operation: OperationOf, description: EndpointDescription): MethodDecorator {
  return (target, name, descriptor) => {
    const inner = takesQuery(target.constructor, name) ? [] : [NoQueryInterceptor];
    const decorate = applyDecorators(
      SetMetadata(OPERATION, operation),
      SetMetadata(DESCRIPTION, description),
      UseGuards(BearerGuard),
      UseInterceptors(AnswerInterceptor, ...inner),
    );
    decorate(target, name, descriptor);
  };
}

/** The token endpoint: faults apply, no token is needed. */
export function TokenEndpoint(description: EndpointDescription): MethodDecorator {
  return applyDecorators(
    SetMetadata(OPERATION, 'token'),
    SetMetadata(DESCRIPTION, description),
    UseInterceptors(AnswerInterceptor),
  );
}

/** Parameters are decorated before their method; Nest keeps them under keys like `4:1`: kind and index. */
function takesQuery(controller: object, name: string | symbol): boolean {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as object | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
