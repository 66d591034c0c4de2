import type { TransactionTypeAnswer } from '../contract/administration-bodies.js';
import type { UpdateTransactionTypeEffect } from '../effects/catalogue-effect.js';
import { applied, type EffectResult } from '../effects/effect.js';
import { recordEffect } from '../effects/record-effect.js';
import type { WorkingSet } from '../effects/working-set.js';

/** 4.8: gives the transaction type another name. */
export function applyUpdateTransactionType(
  state: WorkingSet,
  effect: UpdateTransactionTypeEffect,
  nowMs: number,
): EffectResult {
  const { typeId, name } = effect;
  const { brandId, programId } = effect.program;
  state.changeCatalogue({ kind: 'transaction-type-renamed', brandId, programId, typeId, name });
  recordEffect(state, { effect, nowMs });
  const answer: TransactionTypeAnswer = { transactionTypeId: Number(typeId), name, programId: Number(programId) };
  return applied(answer);
}
