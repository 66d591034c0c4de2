import { applyCreateBrandAttribute } from '../brand-attributes/apply-create-brand-attribute.js';
import { applyUpdateBrandAttribute } from '../brand-attributes/apply-update-brand-attribute.js';
import { applyUpdateBrand } from '../brands/apply-update-brand.js';
import { applyReward } from '../rewards/apply-reward.js';
import { applyScheduleUpdate } from '../schedules/apply-schedule-update.js';
import { applyCreateTemplate } from '../templates/apply-create-template.js';
import { applyCreateTransactionAttribute } from '../transaction-types/apply-create-transaction-attribute.js';
import { applyUpdateTransactionType } from '../transaction-types/apply-update-transaction-type.js';
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
    case 'scheduled-change':
      return applyUpdate(state, effect, nowMs);
    case 'transaction':
      return applyTransaction(state, effect, nowMs);
    case 'reward':
      return applyReward(state, effect, nowMs);
    case 'schedule-update':
      return applyScheduleUpdate(state, effect, nowMs);
    case 'update-brand':
      return applyUpdateBrand(state, effect, nowMs);
    case 'create-brand-attribute':
      return applyCreateBrandAttribute(state, effect, nowMs);
    case 'update-brand-attribute':
      return applyUpdateBrandAttribute(state, effect, nowMs);
    case 'create-template':
      return applyCreateTemplate(state, effect, nowMs);
    case 'update-transaction-type':
      return applyUpdateTransactionType(state, effect, nowMs);
    case 'create-transaction-attribute':
      return applyCreateTransactionAttribute(state, effect, nowMs);
    default:
      return effect satisfies never;
  }
}
