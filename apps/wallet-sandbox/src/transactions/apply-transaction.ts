import { isOfType, tooLongForIndex } from '../contract/field-schemas.js';
import type { TransactionAnswer } from '../contract/transaction-body.js';
import type { Wording } from '../contract/wordings.js';
import { applied, type EffectResult, refused, type TransactionEffect } from '../effects/effect.js';
import { recordEffect, type WorkingSet } from '../effects/working-set.js';
import { ownValue } from '../passes/meta-data.js';
import { describeHandle } from '../passes/pass.js';
import { transactionTypeOf } from '../seed/catalogue.js';
import type { TransactionAttribute, TransactionType } from '../seed/seed.js';
import { numberText } from '../store/exact-json.js';
import type { UniqueValue } from './transaction.js';

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

type Attributes = Readonly<Record<string, unknown>>;

/** What is wrong with a transaction's attributes (partner-api.md 4.7, 4.9), or null. */
export function checkAttributes(type: TransactionType, attributes: Attributes, wording: Wording): string | null {
  const known = new Set(type.attributes.map((attribute) => attribute.name));
  for (const name of Object.keys(attributes)) {
    if (!known.has(name)) {
      return wording.invalid(`attributes.${name}`, `is not an attribute of transaction type ${type.id}`);
    }
  }
  for (const attribute of type.attributes) {
    const problem = checkValue(attribute, ownValue(attributes, attribute.name) ?? null, wording);
    if (problem !== null) return problem;
  }
  return null;
}

function checkValue(attribute: TransactionAttribute, value: unknown, wording: Wording): string | null {
  const { name, dataType, required, unique } = attribute;
  const path = `attributes.${name}`;
  if (value === null) return required ? wording.required(path) : null;
  if (!isOfType(dataType, value)) return wording.invalid(path, `must be a ${dataType}`);
  const tooLong = unique ? tooLongForIndex(value) : null;
  return tooLong === null ? null : wording.invalid(path, tooLong);
}

/** The values of unique attributes that a transaction carries. */
export function uniqueValuesOf(effect: TransactionEffect): UniqueValue[] {
  const { program, typeId, transaction } = effect;
  const owner = { brandId: program.brandId, programId: program.programId, transactionTypeId: typeId };
  return transactionTypeOf(program, typeId).attributes.flatMap((attribute) => {
    const value = ownValue(transaction.attributes, attribute.name);
    const isText = typeof value === 'string' || typeof value === 'boolean';
    const text = isText ? String(value) : numberText(value);
    return attribute.unique && text !== null ? [{ ...owner, attribute: attribute.name, value: text }] : [];
  });
}
