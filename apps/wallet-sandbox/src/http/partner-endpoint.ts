import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { Reflector } from '@nestjs/core';
import { firstValueFrom, type Observable, of } from 'rxjs';
import { BearerGuard } from '../auth/token-signer.js';
import { type Wording, WORDING } from '../contract/wordings.js';
import { FaultInjector } from '../faults/fault-injector.js';
import { Catalogue } from '../seed/catalogue.js';
import { numberText } from '../store/exact-json.js';
import { Spelling } from '../spelling/spelling.js';
import { type Answer, errorAnswer, isDefect, jsonAnswer, writeAnswer } from './answer.js';
import { type Call, type CallPath, type HttpReply, type HttpRequest, ownOrigin, type SandboxRequest } from './call.js';
import type { CallOperation } from './operation.js';
import { refuseName } from './refusal.js';
import { StderrLogger } from './stderr-logger.js';

/** Metadata key under which an endpoint keeps its operation. */
const OPERATION = Symbol('operation');

/** An endpoint's operation, or how to tell it from the path. */
type OperationOf = CallOperation | ((catalogue: Catalogue, path: CallPath) => CallOperation);

/** Makes a request into a call that nothing has tampered with yet. */
@Injectable()
export class CallFactory {
  constructor(
    private readonly reflector: Reflector,
    private readonly catalogue: Catalogue,
    @Inject(WORDING) private readonly wording: Wording,
  ) {}

  create(request: SandboxRequest, handler: Parameters<Reflector['get']>[1]): Call {
    const operation = this.reflector.get<OperationOf>(OPERATION, handler);
    const { brandId = '', programId = '', targetId = '' } = request.params as Partial<CallPath>;
    const path = { brandId, programId, targetId };
    return {
      ...path,
      operation: typeof operation === 'function' ? operation(this.catalogue, path) : operation,
      requestId: request.id,
      arrivedAt: request.arrivedAt,
      origin: ownOrigin(request),
      wording: this.wording,
      named: () => namesOf(request),
      enforceUnique: true,
    };
  }
}

interface NamingBody {
  readonly person?: unknown;
  readonly passdata?: { readonly metaData?: unknown } | null;
  readonly attributes?: unknown;
}

/** Read before the request is validated: whatever it holds. */
function namesOf({ query, body }: Pick<SandboxRequest, 'query' | 'body'>): string[] {
  const { person, passdata, attributes } = (body ?? {}) as NamingBody;
  return [query, person, passdata?.metaData, attributes].flatMap(plainValues);
}

function plainValues(value: unknown): string[] {
  const digits = numberText(value);
  if (digits !== null) return [digits];
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(plainValues);
  return typeof value === 'string' ? [value] : [];
}

/** Runs a handler inside the faults that strike, and writes what they left of its answer. */
@Injectable()
class AnswerInterceptor implements NestInterceptor {
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
      return errorAnswer(error, operation === 'token' ? undefined : wording, (refusal) =>
        this.spelling.writeRefusal(operation, refusal),
      );
    }
  }
}

/** Refuses parameters where an endpoint has none, in the words of the schemas of those that have some. */
@Injectable()
class NoQueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query } = context.switchToHttp().getRequest<HttpRequest>();
    const [unknown] = Object.keys(query ?? {});
    if (unknown !== undefined) refuseName(unknown);
    return next.handle();
  }
}

/** Marks a handler as one endpoint of the partner's API: a token is needed, faults and refusals apply. */
export function PartnerEndpoint(operation: OperationOf): MethodDecorator {
  return (target, name, descriptor) => {
    const inner = takesQuery(target.constructor, name) ? [] : [NoQueryInterceptor];
    const decorate = applyDecorators(
      SetMetadata(OPERATION, operation),
      UseGuards(BearerGuard),
      UseInterceptors(AnswerInterceptor, ...inner),
    );
    decorate(target, name, descriptor);
  };
}

/** The token endpoint: faults apply, no token is needed. */
export function TokenEndpoint(): MethodDecorator {
  return applyDecorators(SetMetadata(OPERATION, 'token'), UseInterceptors(AnswerInterceptor));
}

/** Parameters are decorated before their method; Nest keeps them under keys like `4:1`: kind and index. */
function takesQuery(controller: object, name: string | symbol): boolean {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as object | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
