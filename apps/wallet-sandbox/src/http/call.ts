import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Wording } from '../contract/wordings.js';
import type { HttpRequest } from './http-exchange.js';
import type { CallOperation } from './operation.js';

export interface CallPath {
  readonly brandId: string;
  readonly programId: string;
  /** The workflow, transaction type or reward that the path names; empty where it names none. */
  readonly targetId: string;
}

/** One request to the partner's API, as fault kinds and handlers see it. Fault kinds pass on changed copies. */
export interface Call extends CallPath {
  readonly operation: CallOperation;
  /** The caller's `x-request-id`, else our own. */
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly arrivedAt: number;
  /** `http://host:port` of this sandbox as the caller knows it; links in answers begin with it. */
  readonly origin: string;
  readonly wording: Wording;
  /** Whom and what the request names: every plain value of its query, of `person` and of `passdata.metaData`. Absent: nobody asked. */
  readonly named?: () => readonly string[];
  /** False lets a unique value or a second pass through. */
  readonly enforceUnique: boolean;
  /** Epoch milliseconds: passes created later are not seen by lookups and listings. Absent: all are. */
  readonly asOf?: number;
}

export interface SandboxRequest extends HttpRequest {
  arrivedAt: number;
  call?: Call;
}

/** Parameter decorator: the call that the answering interceptor prepared. */
export const CurrentCall = createParamDecorator((_data: unknown, context: ExecutionContext): Call => {
  const { call } = context.switchToHttp().getRequest<SandboxRequest>();
  if (call === undefined) throw new Error('a handler with @CurrentCall needs @PartnerEndpoint');
  return call;
});
