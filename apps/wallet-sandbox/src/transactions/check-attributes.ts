import { isOfType } from '../contract/field-schemas.js';
import type { Wording } from '../contract/wordings.js';
import { ownValue } from '../passes/meta-data.js';
import type { TransactionAttribute, TransactionType } from '../seed/seed.js';

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
  const { name, dataType, required } = attribute;
  if (value === null) return required ? wording.required(`attributes.${name}`) : null;
  return isOfType(dataType, value) ? null : wording.invalid(`attributes.${name}`, `must be a ${dataType}`);
}
