/** What an expression comes to; `undefined` is nothing. */
export type Value = undefined | null | boolean | string | number | RegExp | MapFunction | Value[] | MapObject;

export interface MapObject {
  [name: string]: Value;
}

/** A function as a value: whoever runs a map knows what it is. */
export abstract class MapFunction {
  abstract readonly isNative: boolean;
}

/** What a path has found: one is itself and none is nothing, unless it stays a list. */
export class Sequence extends Array<Value> {
  staysList = false;
  /** It holds the document alone, which is a list. */
  isDocument = false;
}

export function sequenceOf(value: Value): Sequence {
  const sequence = new Sequence();
  sequence.push(value);
  return sequence;
}

/** A list that is made as a step of a path: it is not taken apart. */
export class WholeList extends Array<Value> {}

export function isList(value: Value): value is Value[] {
  return Array.isArray(value);
}

export function isObject(value: Value): value is MapObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof MapFunction) &&
    !(value instanceof RegExp)
  );
}

/** Not by assignment: `__proto__` is a name like any other. */
export function setField(object: MapObject, name: string, value: Value): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

export function fieldOf(object: MapObject, name: string): Value {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** JSONata's: empty text, empty lists and objects, 0, null and nothing are false, and so are functions. */
export function isTrue(value: Value): boolean {
  if (isList(value)) return value.length === 1 ? isTrue(value[0]) : value.some(isTrue);
  if (typeof value === 'object' && value !== null) return isObject(value) && Object.keys(value).length > 0;
  return Boolean(value);
}
