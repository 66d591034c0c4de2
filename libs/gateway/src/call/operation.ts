import type { ReadShape } from './answer-body.js';
import type { PlannedRequest } from './planned-request.js';
import { NOTHING_SENT, type SentValues } from './duplicate-refusal.js';
import type { CompiledDialect } from '../dialect/dialect-registry.js';
import type { Dialect } from '../dialect/dialect-schema.js';
import { type AnswerProof, anyObject } from './answer-proof.js';

/** What every input names; a call about a brand as a whole names no program. */
export interface OperationTarget {
  readonly brandId: string;
  readonly programId?: string;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** One documented call that changes something: what is sent, and how its answer is read. */
export interface PartnerOperation<Input extends OperationTarget, Value> {
  /**
   * @param nowMs for what is to happen "as soon as possible"
   * @throws InvalidRequest
   */
  readonly plan: (input: Input, dialect: Dialect, nowMs: number) => PlannedRequest;
  readonly read: (answer: JsonObject, dialect: Dialect) => ReadShape<Value>;
  /** What a duplicate refusal would mention. */
  readonly sentValues: (input: Input, dialect: Dialect) => SentValues;
  /** Whether a refusal can mean "this member has no pass". */
  readonly needsPass: boolean;
  /** What a success must show to count. */
  readonly proof: AnswerProof<Input>;
  readonly isSuccessStatus: (compiled: CompiledDialect) => (status: number) => boolean;
}

type Parts<Input extends OperationTarget, Value> = Pick<PartnerOperation<Input, Value>, 'plan' | 'read'> &
  Partial<PartnerOperation<Input, Value>>;

/** An operation whose refusals are about nothing it sent, which needs no pass and proves nothing, unless it says so. */
export function operation<Input extends OperationTarget, Value>(
  parts: Parts<Input, Value>,
): PartnerOperation<Input, Value> {
  return {
    sentValues: () => NOTHING_SENT,
    needsPass: false,
    proof: anyObject,
    isSuccessStatus: ({ isSuccessStatus }) => isSuccessStatus,
    ...parts,
  };
}
