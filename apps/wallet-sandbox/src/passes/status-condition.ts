import type { Wording } from '../contract/wordings.js';
import { refuse } from '../http/refusal.js';
import type { Comparison, PassCondition } from './pass-condition.js';
import type { StatusNumbers } from './status.js';

const numberPattern = /^\d{1,9}$/;

interface StatusFilter {
  /** A status's name or its number. */
  readonly value: string;
  readonly comparison: Comparison;
}

/** A status, by its name or its number. */
export function statusIs(value: string): PassCondition {
  return numberPattern.test(value)
    ? { field: 'status', comparison: 'eq', value: Number(value) }
    : { field: 'statusCode', comparison: 'eq', value };
}

/**
 * A status filter as a condition. Names have no order: a comparison is one of numbers, and refused with 400 where a
 * name's number is not known.
 */
export function statusCondition(filter: StatusFilter, numbers: StatusNumbers, wording: Wording): PassCondition {
  const { value, comparison } = filter;
  const named = statusIs(value);
  if (comparison === 'eq') return named;
  const number = named.field === 'status' ? named.value : numbers.numberOf(value);
  if (number !== null) return { field: 'status', comparison, value: number };
  return refuse(400, wording.invalid('statusCode', `no number is known for status ${value}`));
}
