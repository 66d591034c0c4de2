import type { TransactionAnswer } from '../contract/transaction-body.js';
import { applied, type EffectResult, refused, type TransactionEffect } from '../effects/effect.js';
import { recordEffect } from '../effects/record-effect.js';
import type { WorkingSet } from '../effects/working-set.js';
import { describeHandle } from '../passes/pass.js';
import { transactionTypeOf } from '../seed/catalogue.js';
import { checkAttributes } from './check-attributes.js';
import { uniqueValuesOf } from './unique-values.js';

/** 4.7: a transaction of an existing pass; a value of a unique attribute is taken once. */
export function applyTransaction(state: WorkingSet, effect: TransactionEffect, nowMs: number): EffectResult {
  const { program, typeId, transaction, handle, call } = effect;
  const problem = checkAttributes(transactionTypeOf(program, typeId), transaction.attributes, call.wording);
  if (problem !== null) return refused(problem);
  const pass = state.findPass(program, handle);
  if (pass === null) {
    const { by, value } = describeHandle(handle);
    return refused(call.wording.noSuchPass(by, value));
  }
  const values = uniqueValuesOf(effect);
  const used = call.enforceUnique ? values.find((value) => state.isUsed(value)) : undefined;
  if (used !== undefined) return refused(call.wording.valueUsed(used.attribute, used.value));
  state.use(values);
  const transactionId = state.nextId();
  const { brandId, programId } = program;
  state.transactions.push({
    ...transaction,
    transactionId,
    brandId,
    programId,
    transactionTypeId: typeId,
    passId: pass.passId,
  });
  recordEffect(state, { effect, pass, key: values[0]?.value ?? null, nowMs });
  const { amount, transactionDate } = transaction;
  const answer: TransactionAnswer = { transactionId, transactionTypeId: Number(typeId), amount, transactionDate };
  return applied(answer);
}
