import { applyReward } from '../rewards/apply-reward.js';
import { applyTransaction } from '../transactions/apply-transaction.js';
import { applyIssue } from '../passes/apply-issue.js';
import { applyUpdate } from '../passes/apply-update.js';
import type { Effect, EffectResult } from './effect.js';
import type { WorkingSet } from './working-set.js';

/** Decides one effect against the working set and changes it accordingly; a refusal changes nothing. */
export function applyEffect(state: WorkingSet, effect: Effect, nowMs: number): EffectResult {
  switch (effect.operation) {
    case 'issue':
    case 'issue-via-workflow':
      return applyIssue(state, effect, nowMs);
    case 'update-via-workflow':
      return applyUpdate(state, effect, nowMs);
    case 'transaction':
      return applyTransaction(state, effect, nowMs);
    case 'reward':
      return applyReward(state, effect, nowMs);
    default:
      return effect satisfies never;
  }
}
