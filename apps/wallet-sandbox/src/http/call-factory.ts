import { Inject, Injectable } from '@nestjs/common';
import { ownOrigin } from '../cards/own-origin.js';
import { WORDING, type Wording } from '../contract/wordings.js';
import { Catalogue } from '../seed/catalogue.js';
import type { Call, CallPath, SandboxRequest } from './call.js';
import type { CallOperation } from './operation.js';

/** An endpoint's operation, or how to tell it from the path. */
export type OperationOf = CallOperation | ((catalogue: Catalogue, path: CallPath) => CallOperation);

/** Makes a request into a call that nothing has tampered with yet. */
@Injectable()
export class CallFactory {
  constructor(
    private readonly catalogue: Catalogue,
    @Inject(WORDING) private readonly wording: Wording,
  ) {}

  create(request: SandboxRequest, operation: OperationOf): Call {
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
