import { isOfType } from '../contract/data-type.js';
import { ownValue } from '../passes/meta-data.js';
import type { TransactionAttribute, TransactionType } from '../seed/seed.js';

/** What is wrong with a transaction's attributes (partner-api.md 4.7, 4.9), or null. */
export function checkAttributes(type: TransactionType, attributes: Readonly<Record<string, unknown>>): string | null {
  const known = new Map(type.attributes.map((attribute) => [attribute.name, attribute]));
  for (const name of Object.keys(attributes)) {
    if (!known.has(name)) return `attributes.${name}: is not an attribute of transaction type ${type.id}`;
  }
  for (const attribute of type.attributes) {
    const problem = checkValue(attribute, ownValue(attributes, attribute.name));
    if (problem !== null) return `attributes.${attribute.name}: ${problem}`;
  }
  return null;
}

function checkValue(attribute: TransactionAttribute, value: unknown): string | null {
  if (value === undefined || value === null) return attribute.required ? 'is required' : null;
  return isOfType(attribute.dataType, value) ? null : `must be a ${attribute.dataType}`;
}
