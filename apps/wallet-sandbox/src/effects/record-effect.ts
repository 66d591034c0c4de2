import type { Pass } from '../passes/pass.js';
import type { Effect } from './effect.js';
import type { WorkingSet } from './working-set.js';

export interface RecordedEffect {
  readonly effect: Effect;
  readonly pass: Pass;
  readonly key?: string | null;
  readonly nowMs: number;
}

/** Appends an effect that took effect to the ledger. */
export function recordEffect(state: WorkingSet, recorded: RecordedEffect): void {
  const { effect, pass, nowMs } = recorded;
  state.record({
    operation: effect.operation,
    brandId: pass.brandId,
    programId: pass.programId,
    uniqueId: pass.uniqueId,
    passId: pass.passId,
    targetId: effect.call.targetId === '' ? null : effect.call.targetId,
    key: recorded.key ?? null,
    requestId: effect.call.requestId,
    arrivedAt: new Date(effect.call.arrivedAt).toISOString(),
    appliedAt: new Date(nowMs).toISOString(),
    body: effect.body,
  });
}
