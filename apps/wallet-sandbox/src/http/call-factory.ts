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
      enforceUnique: true,
    };
  }
}
