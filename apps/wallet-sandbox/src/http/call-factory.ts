import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ownOrigin } from '../cards/own-origin.js';
import { WORDING, type Wording } from '../contract/wordings.js';
import { Catalogue } from '../seed/catalogue.js';
import type { Call, CallPath, SandboxRequest } from './call.js';
import type { CallOperation } from './operation.js';

/** Metadata key under which an endpoint keeps its operation. */
export const OPERATION = Symbol('operation');

/** An endpoint's operation, or how to tell it from the path. */
export type OperationOf = CallOperation | ((catalogue: Catalogue, path: CallPath) => CallOperation);

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

/** Read before the request is validated: whatever it holds. */
function namesOf({ query, body }: Pick<SandboxRequest, 'query' | 'body'>): string[] {
  const { person, passdata } = (body ?? {}) as { readonly person?: unknown; readonly passdata?: unknown };
  const { metaData } = (passdata ?? {}) as { readonly metaData?: unknown };
  return [query, person, metaData].flatMap(plainValues);
}

function plainValues(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(plainValues);
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}
