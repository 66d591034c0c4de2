import { MapRefusal } from '../map-error.js';
import { tooDeep, valueDepthMax } from '../map-limits.js';
import type { Native, Run } from '../native.js';
import { fieldOf, isList, isObject, isTrue, Sequence, setField, type MapObject, type Value } from '../values.js';
import { foundIn, isMissing, listOf, objectOf, ownList, textOf } from './arguments.js';

/** What lies under a name, of each where it is asked of a list. */
export function lookUp(value: Value, name: string, run: Run, depth = 0): Value {
  if (!isList(value)) return isObject(value) ? fieldOf(value, name) : undefined;
  if (depth > valueDepthMax) throw new MapRefusal(tooDeep);
  const found = new Sequence();
  run.charge(value.length);
  for (const each of value) {
    const one = lookUp(each, name, run, depth + 1);
    if (isList(one)) {
      run.charge(one.length);
      for (const item of one) found.push(item);
    } else if (one !== undefined) found.push(one);
  }
  return found;
}

/** Equal in all that they hold. @throws MapRefusal where a number of the map meets text, which a number of a record is */
export function isEqual(one: Value, other: Value, run: Run, depth = 0): boolean {
  run.charge(1);
  if (one === other) return true;
  if (typeof one !== typeof other) return neverEqual(one, other);
  if (depth > valueDepthMax) throw new MapRefusal(tooDeep);
  const isSame = (each: Value, its: Value): boolean => isEqual(each, its, run, depth + 1);
  if (isList(one) && isList(other)) {
    return one.length === other.length && one.every((each, at) => isSame(each, other[at]));
  }
  return isObject(one) && isObject(other) && hasSameFields(one, other, isSame);
}

function hasSameFields(one: MapObject, other: MapObject, isSame: (each: Value, its: Value) => boolean): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

function neverEqual(one: Value, other: Value): false {
  const types = [typeof one, typeof other];
  if (types.includes('number') && types.includes('string')) {
    throw new MapRefusal('a number is compared with text: numbers of a record are text');
  }
  return false;
}

/** One list behind another. */
export function appended(one: Value, other: Value, run: Run): Value {
  if (one === undefined) return other;
  if (other === undefined) return one;
  const list = ownList(listOf(one));
  const more = listOf(other);
  run.charge(list.length + more.length);
  for (const each of more) list.push(each);
  return list;
}

const count: Native = { name: 'count', takes: [1, 1], kind: 'count', run: ([value]) => listOf(value).length };

const append: Native = {
  name: 'append',
  takes: [2, 2],
  kind: 'other',
  run: ([one, other], run) => appended(one, other, run),
};

const reverse: Native = {
  ...{ name: 'reverse', takes: [1, 1], kind: 'other' },
  run([value], run) {
    if (value === undefined) return undefined;
    run.charge(listOf(value).length);
    return ownList(listOf(value)).reverse();
  },
};

const distinct: Native = {
  ...{ name: 'distinct', takes: [1, 1], kind: 'other' },
  run([value], run) {
    if (!isList(value) || value.length <= 1) return value;
    const kept: Value[] = [];
    for (const each of value) if (!kept.some((known) => isEqual(each, known, run))) kept.push(each);
    return value instanceof Sequence ? foundIn(kept) : kept;
  },
};

const map: Native = {
  ...{ name: 'map', takes: [2, 2], kind: 'other', walks: [1, 1] },
  run([value, walker], run) {
    if (value === undefined) return undefined;
    const list = listOf(value);
    return foundIn(list.map((each, at) => run.call(walker, [each, at, value], at)));
  },
};

function chosen(name: string, [value, decides]: readonly Value[], run: Run): Value[] {
  const list = ownList(listOf(value));
  run.charge(list.length);
  if (decides === undefined && name === 'single') return list;
  return list.filter((each, at) => isTrue(run.call(decides, [each, at, value], null)));
}

const filter: Native = {
  ...{ name: 'filter', takes: [2, 2], kind: 'other', walks: [1, 1], decides: 1 },
  run: (given, run) => (given[0] === undefined ? undefined : foundIn(chosen('filter', given, run))),
};

const single: Native = {
  ...{ name: 'single', takes: [1, 2], kind: 'other', walks: [1, 1], decides: 1 },
  run(given, run) {
    if (given[0] === undefined) return undefined;
    const found = chosen('single', given, run);
    if (found.length !== 1) throw new MapRefusal(`$single finds ${found.length === 0 ? 'none' : 'more than one'}`);
    return found[0];
  },
};

const reduce: Native = {
  ...{ name: 'reduce', takes: [2, 3], kind: 'other', walks: [1, 2] },
  run([value, walker, first], run) {
    if (value === undefined) return undefined;
    const list = listOf(value);
    let [result, from] = first === undefined ? [list[0], 1] : [first, 0];
    for (; from < list.length; from += 1) result = run.call(walker, [result, list[from], from, value], null);
    return result;
  },
};

const each: Native = {
  ...{ name: 'each', takes: [2, 2], isMethod: true, kind: 'other' },
  run([value, walker], run) {
    if (isMissing(value)) return undefined;
    const fields = Object.entries(objectOf('each', value));
    run.charge(fields.length);
    return foundIn(fields.map(([name, field], at) => run.call(walker, [field, name, value], at)));
  },
};

const sift: Native = {
  ...{ name: 'sift', takes: [2, 2], isMethod: true, kind: 'other', walks: [1, -1], decides: 1 },
  run([value, decides], run) {
    if (isMissing(value)) return undefined;
    const kept: MapObject = {};
    for (const [name, field] of Object.entries(objectOf('sift', value))) {
      if (isTrue(run.call(decides, [field, name, value], null))) setField(kept, name, field);
    }
    return Object.keys(kept).length === 0 ? undefined : kept;
  },
};

function addNames(names: Set<string>, value: Value, run: Run, depth = 0): void {
  run.charge(1);
  if (depth > valueDepthMax) throw new MapRefusal(tooDeep);
  if (isList(value)) for (const each of value) addNames(names, each, run, depth + 1);
  if (!isObject(value)) return;
  const own = Object.keys(value);
  run.charge(own.length);
  for (const name of own) names.add(name);
}

const keys: Native = {
  ...{ name: 'keys', takes: [1, 1], isMethod: true, kind: 'other' },
  run([value], run) {
    const names = new Set<string>();
    addNames(names, value, run);
    return foundIn(names);
  },
};

const lookup: Native = {
  ...{ name: 'lookup', takes: [2, 2], isMethod: true, kind: 'other' },
  run: ([value, name], run) => (name === undefined ? undefined : lookUp(value, textOf('lookup', name), run)),
};

const spread: Native = {
  ...{ name: 'spread', takes: [1, 1], isMethod: true, kind: 'other' },
  run([value], run) {
    const fields = listOf(value).flatMap((one) => Object.entries(objectOf('spread', one)));
    run.charge(fields.length);
    return foundIn(
      fields.map(([name, field]) => {
        const one: MapObject = {};
        setField(one, name, field);
        return one;
      }),
    );
  },
};

const merge: Native = {
  ...{ name: 'merge', takes: [1, 1], kind: 'other' },
  run([value], run) {
    if (value === undefined) return undefined;
    const merged: MapObject = {};
    for (const one of listOf(value)) {
      const fields = Object.entries(objectOf('merge', one));
      run.charge(fields.length);
      for (const [name, field] of fields) setField(merged, name, field);
    }
    return merged;
  },
};

/** None, one or more: always a list. */
const list: Native = {
  ...{ name: 'list', takes: [1, 1], kind: 'other' },
  run([value], run) {
    const values = listOf(value);
    run.charge(values.length);
    return ownList(values);
  },
};

const exists: Native = { name: 'exists', takes: [1, 1], kind: 'boolean', run: ([value]) => value !== undefined };

const not: Native = {
  ...{ name: 'not', takes: [1, 1], kind: 'boolean', decides: 0 },
  run: ([value]) => (value === undefined ? undefined : !isTrue(value)),
};

export const lists: readonly Native[] = [
  ...[count, append, reverse, distinct, map, filter, single, reduce],
  ...[each, sift, keys, lookup, spread, merge, list, exists, not],
];
