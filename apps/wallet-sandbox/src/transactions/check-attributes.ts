import { z } from 'zod';
import type { TransactionAttribute, TransactionType } from '../seed/seed.js';

const dateSchema = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** What is wrong with a transaction's attributes (partner-api.md 4.7, 4.9), or null. */
export function checkAttributes(type: TransactionType, attributes: Readonly<Record<string, unknown>>): string | null {
  const known = new Map(type.attributes.map((attribute) => [attribute.name, attribute]));
  for (const name of Object.keys(attributes)) {
    if (!known.has(name)) return `attributes.${name}: is not an attribute of transaction type ${type.id}`;
  }
  for (const attribute of type.attributes) {
    const problem = checkValue(attribute, attributes[attribute.name]);
    if (problem !== null) return `attributes.${attribute.name}: ${problem}`;
  }
  return null;
}

function checkValue(attribute: TransactionAttribute, value: unknown): string | null {
  if (value === undefined || value === null) return attribute.required ? 'is required' : null;
  return isOfType(attribute.dataType, value) ? null : `must be a ${attribute.dataType}`;
}

function isOfType(dataType: TransactionAttribute['dataType'], value: unknown): boolean {
  switch (dataType) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === dataType;
    case 'date':
      return dateSchema.safeParse(value).success;
    default:
      return dataType satisfies never;
  }
}
