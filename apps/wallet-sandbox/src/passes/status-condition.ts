import type { Wording } from '../contract/wordings.js';
import { refuse } from '../http/refusal.js';
import type { Comparison, PassCondition } from './pass-condition.js';
import type { StatusNumbers } from './status.js';

const numberPattern = /^\d{1,9}$/;

export interface StatusFilter {
  /** A status's name or its number. */
  readonly value: string;
  readonly comparison: Comparison;
}

/**
 * A status filter as a condition. Names have no order: a comparison is one of numbers, and refused with 400 where a
 * name's number is not known.
 */
export function statusCondition(
  { value, comparison }: StatusFilter,
  numbers: StatusNumbers,
  wording: Wording,
): PassCondition {
  if (numberPattern.test(value)) return { field: 'status', comparison, value: Number(value) };
  if (comparison === 'eq') return { field: 'statusCode', comparison, value };
  const number = numbers.numberOf(value);
  if (number !== null) return { field: 'status', comparison, value: number };
  return refuse(400, wording.invalid('statusCode', `no number is known for status ${value}`));
}
