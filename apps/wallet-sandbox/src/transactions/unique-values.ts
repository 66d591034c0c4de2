import type { TransactionEffect } from '../effects/effect.js';
import { ownValue } from '../passes/meta-data.js';
import { transactionTypeOf } from '../seed/catalogue.js';
import type { UniqueValue } from './transaction.js';

/** The values of unique attributes that a transaction carries. */
export function uniqueValuesOf(effect: TransactionEffect): UniqueValue[] {
  const { program, typeId, transaction } = effect;
  const owner = { brandId: program.brandId, programId: program.programId, transactionTypeId: typeId };
  return transactionTypeOf(program, typeId).attributes.flatMap((attribute) => {
    const value = ownValue(transaction.attributes, attribute.name);
    const isGiven = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return attribute.unique && isGiven ? [{ ...owner, attribute: attribute.name, value: String(value) }] : [];
  });
}
