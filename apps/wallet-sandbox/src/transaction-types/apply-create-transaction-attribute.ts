import type { TransactionAttributeAnswer } from '../contract/administration-bodies.js';
import type { CreateTransactionAttributeEffect } from '../effects/catalogue-effect.js';
import { applied, type EffectResult, refused } from '../effects/effect.js';
import { recordEffect } from '../effects/record-effect.js';
import type { WorkingSet } from '../effects/working-set.js';
import { transactionTypeOf } from '../seed/catalogue.js';

/** 4.9: a further attribute of the transaction type; transactions are judged by it from now on. */
export function applyCreateTransactionAttribute(
  state: WorkingSet,
  effect: CreateTransactionAttributeEffect,
  nowMs: number,
): EffectResult {
  const { typeId, program, call } = effect;
  const known = transactionTypeOf(program, typeId).attributes;
  if (known.some(({ name }) => name === effect.attribute.name)) {
    return refused(call.wording.invalid('name', `the transaction type already has ${effect.attribute.name}`));
  }
  const transactionAttributeId = state.nextId();
  const { brandId, programId } = program;
  const { uniqueKey, ...rest } = effect.attribute;
  const attribute = { ...rest, unique: uniqueKey };
  state.changeCatalogue({ kind: 'transaction-attribute-created', brandId, programId, typeId, attribute });
  recordEffect(state, { effect, targetId: String(transactionAttributeId), nowMs });
  return applied(toAnswer(effect, transactionAttributeId));
}

function toAnswer(
  { program, typeId, attribute }: CreateTransactionAttributeEffect,
  transactionAttributeId: number,
): TransactionAttributeAnswer {
  return {
    transactionAttributeId,
    ...attribute,
    type: 'CUSTOM',
    transactionTypeId: Number(typeId),
    programId: Number(program.programId),
    brandId: Number(program.brandId),
  };
}
