import { refuse } from '../http/refusal.js';
import type { Comparison, PassCondition } from './pass-condition.js';
import type { StatusNumbers } from './status.js';

const numberPattern = /^\d{1,9}$/;

/**
 * A status filter, by name or by number. Names have no order: a comparison is one of numbers, and refused with 400
 * where a name's number is not known.
 */
export function statusCondition(value: string, comparison: Comparison, numbers: StatusNumbers): PassCondition {
  if (numberPattern.test(value)) return { field: 'status', comparison, value: Number(value) };
  if (comparison === 'eq') return { field: 'statusCode', comparison, value };
  const number = numbers.numberOf(value) ?? refuse(400, `statusCode: no number is known for status ${value}`);
  return { field: 'status', comparison, value: number };
}
