import type { CreateTransactionAttributeEffect } from '../effects/catalogue-effect.js';
import { applied, type EffectResult, refused } from '../effects/effect.js';
import { recordEffect } from '../effects/record-effect.js';
import type { WorkingSet } from '../effects/working-set.js';
import { findTransactionType } from './find-transaction-type.js';

/** 4.9: a further attribute of the transaction type; transactions are judged by it from now on. */
export function applyCreateTransactionAttribute(
  state: WorkingSet,
  effect: CreateTransactionAttributeEffect,
  nowMs: number,
): EffectResult {
  const { typeId, attribute, program } = effect;
  const { brandId, programId } = program;
  const known = findTransactionType(program, typeId).attributes;
  if (known.some(({ name }) => name === attribute.name)) {
    return refused(`name: transaction type ${typeId} already has an attribute ${attribute.name}`);
  }
  const transactionAttributeId = state.nextId();
  const { uniqueKey: unique, ...rest } = attribute;
  state.changeCatalogue({
    kind: 'transaction-attribute-created',
    brandId,
    programId,
    typeId,
    attribute: { ...rest, unique },
  });
  recordEffect(state, { effect, targetId: String(transactionAttributeId), nowMs });
  return applied({
    transactionAttributeId,
    ...attribute,
    transactionTypeId: Number(typeId),
    programId: Number(programId),
    brandId: Number(brandId),
  });
}
