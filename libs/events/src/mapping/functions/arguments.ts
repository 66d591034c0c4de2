import { MapRefusal } from '../map-error.js';
import { Sequence, isList, isObject, type MapObject, type Value } from '../values.js';

/** Nothing, or null: what is left out in one shop is null in the next. */
export function isMissing(value: Value): value is undefined | null {
  return value === undefined || value === null;
}

export function textOf(name: string, value: Value): string {
  if (typeof value !== 'string') throw new MapRefusal(`$${name} takes text, and this is ${kindOf(value)}`);
  return value;
}

export function wholeOf(name: string, value: Value): number {
  if (typeof value !== 'number') throw new MapRefusal(`$${name} takes a count, and this is ${kindOf(value)}`);
  return Math.trunc(value);
}

/** One thing is a list of one. */
export function listOf(value: Value): readonly Value[] {
  if (value === undefined) return [];
  return isList(value) ? value : [value];
}

export function objectOf(name: string, value: Value): MapObject {
  if (!isObject(value)) throw new MapRefusal(`$${name} takes an object, and this is ${kindOf(value)}`);
  return value;
}

/** A list that is one of its own, however few it holds. */
export function ownList(values: Iterable<Value>): Value[] {
  const list: Value[] = [];
  for (const value of values) list.push(value);
  return list;
}

/** What was found: one is itself and none is nothing. */
export function foundIn(values: Iterable<Value>): Sequence {
  const found = new Sequence();
  for (const value of values) if (value !== undefined) found.push(value);
  return found;
}

/** What it is, in words that show nothing of it. */
export function kindOf(value: Value): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (isList(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'a number';
  if (typeof value === 'boolean') return 'true or false';
  return isObject(value) ? 'an object' : 'a function';
}
