import type { Call } from '../http/call.js';
import type { EffectOperation } from '../http/operation.js';

/** What every effect says of itself. */
export interface EffectBase {
  readonly operation: EffectOperation;
  readonly call: Call;
  /** The request's body as it goes to the ledger; null when it had none. */
  readonly body: unknown;
}
