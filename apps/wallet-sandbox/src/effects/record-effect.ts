import type { Call } from '../http/call.js';
import type { EffectOperation } from '../http/operation.js';
import type { Pass } from '../passes/pass.js';
import type { WorkingSet } from './working-set.js';

/** What the ledger wants to know of an effect and of the call that asked for it. */
interface LedgerSource {
  readonly operation: EffectOperation;
  readonly call: Pick<Call, 'brandId' | 'programId' | 'targetId' | 'requestId' | 'arrivedAt'>;
  readonly body: unknown;
}

interface RecordedEffect {
  readonly effect: LedgerSource;
  /** The pass it changed; absent: it changed none. */
  readonly pass?: Pass;
  /** Whom it is about where it changed no pass. */
  readonly uniqueId?: string | null;
  readonly key?: string | null;
  /** What it created; absent: what the path names. */
  readonly targetId?: string;
  readonly nowMs: number;
}

/** Appends an effect that took effect to the ledger. */
export function recordEffect(state: WorkingSet, recorded: RecordedEffect): void {
  const { effect, pass, nowMs } = recorded;
  const { call } = effect;
  state.record({
    operation: effect.operation,
    brandId: call.brandId,
    programId: nullIfEmpty(call.programId),
    uniqueId: pass?.uniqueId ?? recorded.uniqueId ?? null,
    passId: pass?.passId ?? null,
    targetId: nullIfEmpty(recorded.targetId ?? call.targetId),
    key: recorded.key ?? null,
    requestId: call.requestId,
    arrivedAt: new Date(call.arrivedAt).toISOString(),
    appliedAt: new Date(nowMs).toISOString(),
    body: effect.body,
  });
}

function nullIfEmpty(text: string): string | null {
  return text === '' ? null : text;
}
