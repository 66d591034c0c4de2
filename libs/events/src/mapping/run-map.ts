import { appended, isEqual, lookUp } from './functions/lists.js';
import { textFor } from './functions/texts.js';
import { MapRefusal } from './map-error.js';
import { mapDepthMax, mapStepsMax, mapTextCharsMax, tooDeep, valueDepthMax } from './map-limits.js';
import type { MapNode, NodeOf, Operator, Pair, Step } from './map-syntax.js';
import type { Native, Run } from './native.js';
import { OutputPath } from './output-path.js';
import type { SoughtFields } from './sought-fields.js';
import {
  fieldOf,
  isList,
  isObject,
  isTrue,
  MapFunction,
  Sequence,
  sequenceOf,
  setField,
  WholeList,
  type MapObject,
  type Value,
} from './values.js';

/** Variables of a block or a call. */
export class Frame {
  private readonly values = new Map<string, Value>();

  constructor(private readonly outer: Frame | null) {}

  bind(name: string, value: Value): void {
    this.values.set(name, value);
  }

  lookup(name: string): Value {
    return this.values.has(name) ? this.values.get(name) : this.outer?.lookup(name);
  }
}

/** A function that the map defines, with what it was defined in. */
class DefinedFunction extends MapFunction {
  readonly isNative = false;

  constructor(
    readonly definition: NodeOf<'function'>,
    readonly input: Value,
    readonly frame: Frame,
  ) {
    super();
  }
}

class NativeFunction extends MapFunction {
  readonly isNative = true;

  constructor(readonly native: Native) {
    super();
  }
}

const charsPerStep = 100;
const notPlain = Symbol('more than names of fields');

/** Fields of one name: what its items are, and who names it. */
interface Group {
  of: Value;
  readonly pair: Pair;
}

/**
 * One evaluation of a map: JSONata's meaning of the part of it that we take, in steps that are counted. It waits for nothing,
 * so that the same record takes the same steps wherever it is read.
 */
export class MapRun implements Run {
  readonly path = new OutputPath();
  private steps = 0;
  private depth = 0;
  private readonly document: Value;

  /** @param sought not null: what is refused is left out, and what is left is looked through for these fields */
  constructor(
    document: Value,
    private readonly sought: SoughtFields | null = null,
  ) {
    this.document = document;
  }

  get stepsTaken(): number {
    return this.steps;
  }

  charge(steps: number): void {
    this.steps += steps;
    if (this.steps > mapStepsMax) throw new MapRefusal(`takes more than ${mapStepsMax} steps`);
  }

  made(text: string): string {
    if (text.length > mapTextCharsMax) throw new MapRefusal(`makes a text of more than ${mapTextCharsMax} characters`);
    this.charge(Math.ceil(text.length / charsPerStep));
    return text;
  }

  /** The map as a whole. @throws MapRefusal */
  evaluateMap(map: MapNode, frame: Frame): Value {
    if (!isList(this.document)) return this.evaluate(map, this.document, frame);
    const input = sequenceOf(this.document);
    input.isDocument = true;
    return this.evaluate(map, input, frame);
  }

  call(callee: Value, given: readonly Value[], at: number | null): Value {
    const { length, last } = this.path;
    if (at !== null) this.path.enterItem(at);
    const value = this.apply(callee, callee instanceof NativeFunction ? given.slice(0, 1) : given);
    this.path.leaveTo(length, last);
    return value;
  }

  evaluate(node: MapNode, input: Value, frame: Frame): Value {
    this.charge(1);
    this.depth += 1;
    if (this.depth > mapDepthMax) throw new MapRefusal(`calls itself deeper than ${mapDepthMax}`);
    let value = this.own(node, input, frame);
    for (const filter of node.filters) value = this.filtered(filter, value, frame);
    if (node.group !== null && node.kind !== 'path') value = this.grouped(node.group, value, frame);
    this.depth -= 1;
    return value instanceof Sequence ? settled(value, node.keepsList) : value;
  }

  private own(node: MapNode, input: Value, frame: Frame): Value {
    switch (node.kind) {
      case 'path':
        return this.pathValue(node, input, frame);
      case 'name':
        return lookUp(input, node.name, this);
      case 'literal':
        return node.value;
      case 'variable':
        return this.variable(node.name, input, frame);
      case 'object':
        return this.grouped(node.pairs, input, frame);
      case 'list':
        return this.list(node, input, frame);
      case 'binary':
        return this.binary(node, input, frame);
      case 'call':
        return this.called(node, input, frame);
      case 'condition':
        return this.condition(node, input, frame);
      case 'default':
        return this.orDefault(node, input, frame);
      case 'block':
        return this.block(node.expressions, input, new Frame(frame));
      case 'bind':
        return this.bound(node, input, frame);
      case 'function':
        return new DefinedFunction(node, input, frame);
      case 'native':
        return new NativeFunction(node.native);
      case 'pattern':
        return node.pattern;
      case 'negative':
        return computed('-', 0, this.evaluate(node.operand, input, frame));
      case 'wildcard':
        return this.fields(input);
      default:
        return node satisfies never;
    }
  }

  private pathValue(node: NodeOf<'path'>, input: Value, frame: Frame): Value {
    const plain = this.plainField(node, input);
    return plain === notPlain ? this.found(node, input, frame) : plain;
  }

  /** Names alone, from object to object, as most paths are: what they find needs no list around it. */
  private plainField(node: NodeOf<'path'>, input: Value): Value | typeof notPlain {
    if (node.isList || !isBare(node)) return notPlain;
    let value = input;
    for (const { node: step, stages } of node.steps) {
      if (step.kind !== 'name' || !isBare(step) || stages.length > 0 || !isObject(value)) return notPlain;
      value = fieldOf(value, step.name);
      if (value === undefined) break;
    }
    if (value instanceof Sequence) return notPlain;
    this.charge(node.steps.length);
    return value;
  }

  private found(node: NodeOf<'path'>, input: Value, frame: Frame): Value {
    const [first] = node.steps;
    let found: Value[] = isList(input) && first?.node.kind !== 'variable' ? input : sequenceOf(input);
    for (const [at, step] of node.steps.entries()) {
      const isLast = at === node.steps.length - 1;
      found =
        at === 0 && isWhole(step.node)
          ? this.whole(step.node, found, frame)
          : this.step(step, found, { frame, isLast });
      if (found.length === 0) break;
    }
    if (node.isList) found = keptList(found);
    return node.group === null ? found : this.grouped(node.group, found, frame);
  }

  /** A list that a path begins with is not made once for each of what it is applied to. */
  private whole(node: MapNode, input: Value, frame: Frame): Value[] {
    const value = this.evaluate(node, input, frame);
    return value === undefined ? new Sequence() : listAround(value);
  }

  private step(step: Step, input: readonly Value[], { frame, isLast }: { frame: Frame; isLast: boolean }): Value[] {
    const found: Value[] = [];
    const { length, last } = this.path;
    for (const [at, item] of input.entries()) {
      if (isLast && input.length > 1) this.path.enterItem(at);
      let value = this.part(step.node, item, frame);
      for (const stage of step.stages) value = this.filtered(stage, value, frame);
      if (value !== undefined) found.push(value);
      this.path.leaveTo(length, last);
    }
    const [only] = found;
    if (isLast && found.length === 1 && isList(only) && !(only instanceof Sequence)) return only;
    return this.flattened(found);
  }

  private flattened(values: readonly Value[]): Sequence {
    const flat = new Sequence();
    for (const value of values) {
      if (!isList(value) || value instanceof WholeList) {
        flat.push(value);
        continue;
      }
      this.charge(value.length);
      for (const item of value) flat.push(item);
    }
    return flat;
  }

  /** By place, by places, or by what is true of an item. */
  private filtered(filter: MapNode, value: Value, frame: Frame): Value {
    const input = listAround(value);
    if (filter.kind === 'literal' && typeof filter.value === 'number') {
      const item = input.at(Math.floor(filter.value));
      return item === undefined ? new Sequence() : listAround(item);
    }
    const chosen = new Sequence();
    for (const [at, item] of input.entries()) {
      const says = this.evaluate(filter, item, frame);
      for (let times = this.timesChosen(says, at, input.length); times > 0; times -= 1) chosen.push(item);
    }
    return chosen;
  }

  private timesChosen(says: Value, at: number, length: number): number {
    const places = isList(says) ? says : [says];
    this.charge(places.length);
    if (!places.every((place) => typeof place === 'number')) return isTrue(says) ? 1 : 0;
    return places.map(Math.floor).filter((place) => (place < 0 ? length + place : place) === at).length;
  }

  private variable(name: string, input: Value, frame: Frame): Value {
    if (name === '$') return this.document;
    if (name !== '') return frame.lookup(name);
    return input instanceof Sequence && input.isDocument ? input[0] : input;
  }

  /** An object: a field for each pair; of a list, one field for each name that its items give. */
  private grouped(pairs: readonly Pair[], value: Value, frame: Frame): Value {
    const groups = new Map<string, Group>();
    const items = isList(value) ? value : [value];
    for (const item of items.length === 0 ? [undefined] : items) {
      for (const pair of pairs) this.addTo(groups, pair, { item, frame });
    }
    const object: MapObject = {};
    const { length } = this.path;
    for (const [key, group] of groups) {
      this.path.enterField(group.pair[0].kind === 'literal' ? key : '*');
      const field = this.part(group.pair[1], group.of, frame);
      if (field !== undefined) setField(object, key, field);
      this.sought?.look(key, field);
      this.path.leaveTo(length);
    }
    return object;
  }

  /** Of which the rest does not depend. */
  private part(node: MapNode, input: Value, frame: Frame): Value {
    if (this.sought === null) return this.evaluate(node, input, frame);
    const { depth } = this;
    try {
      return this.evaluate(node, input, frame);
    } catch (error) {
      if (!(error instanceof MapRefusal) || this.steps > mapStepsMax) throw error;
      this.depth = depth;
      return undefined;
    }
  }

  private addTo(
    groups: Map<string, Group>,
    pair: Pair,
    { item, frame }: { readonly item: Value; readonly frame: Frame },
  ): void {
    const key = this.evaluate(pair[0], item, frame);
    if (key === undefined) return;
    if (typeof key !== 'string') throw new MapRefusal('a name in an object is text');
    const known = groups.get(key);
    if (known === undefined) {
      groups.set(key, { of: item, pair });
      return;
    }
    if (known.pair !== pair) throw new MapRefusal('an object names a field twice');
    known.of = appended(known.of, item, this);
  }

  private list(node: NodeOf<'list'>, input: Value, frame: Frame): Value {
    const list: Value[] = node.isWhole ? new WholeList() : [];
    for (const item of node.items) {
      const { length } = this.path;
      this.path.enterPlace(list.length);
      const value = this.part(item, input, frame);
      this.path.leaveTo(length);
      if (isList(value) && item.kind !== 'list') {
        this.charge(value.length);
        for (const each of value) list.push(each);
      } else if (value !== undefined) list.push(value);
    }
    return list;
  }

  private binary({ operator, left, right }: NodeOf<'binary'>, input: Value, frame: Frame): Value {
    const one = this.evaluate(left, input, frame);
    if (operator === 'and' || operator === 'or') {
      return isTrue(one) === (operator === 'or') ? operator === 'or' : isTrue(this.evaluate(right, input, frame));
    }
    const other = this.evaluate(right, input, frame);
    if (operator === '&') return this.made(textFor(one) + textFor(other));
    if (operator === 'in') return this.isIn(one, other);
    if (operator !== '=' && operator !== '!=') return computed(operator, one, other);
    if (one === undefined || other === undefined) return false;
    return isEqual(one, other, this) === (operator === '=');
  }

  private isIn(one: Value, other: Value): boolean {
    if (one === undefined || other === undefined) return false;
    return listAround(other).some((each) => one === each || (typeof one !== 'object' && isEqual(one, each, this)));
  }

  private condition({ test, then, otherwise }: NodeOf<'condition'>, input: Value, frame: Frame): Value {
    if (isTrue(this.evaluate(test, input, frame))) return this.evaluate(then, input, frame);
    return otherwise === null ? undefined : this.evaluate(otherwise, input, frame);
  }

  /** `null` is a value: only what is missing has a default. */
  private orDefault({ value, otherwise }: NodeOf<'default'>, input: Value, frame: Frame): Value {
    const known = this.evaluate(value, input, frame);
    return known === undefined ? this.evaluate(otherwise, input, frame) : known;
  }

  private block(expressions: readonly MapNode[], input: Value, frame: Frame): Value {
    let value: Value;
    for (const expression of expressions) value = this.evaluate(expression, input, frame);
    return value;
  }

  private bound({ name, value }: NodeOf<'bind'>, input: Value, frame: Frame): Value {
    const { length } = this.path;
    this.path.enterVariable(name);
    const made = this.part(value, input, frame);
    this.path.leaveTo(length);
    frame.bind(name, made);
    return made;
  }

  /** Each field of an object. Where one is a list, all of them are, lists taken apart. */
  private fields(input: Value): Value {
    const of = input instanceof Sequence && input.isDocument ? input[0] : input;
    const fields = isList(of) || isObject(of) ? Object.values(of) : [];
    const found = fields.some(isList) ? [] : new Sequence();
    for (const field of fields) this.flattenInto(found, field);
    return found;
  }

  private flattenInto(found: Value[], value: Value, depth = 0): void {
    this.charge(1);
    if (depth > valueDepthMax) throw new MapRefusal(tooDeep);
    if (!isList(value)) found.push(value);
    else for (const each of value) this.flattenInto(found, each, depth + 1);
  }

  private called({ callee, given }: NodeOf<'call'>, input: Value, frame: Frame): Value {
    if (callee.kind === 'native') return this.applyNative(callee.native, this.all(given, input, frame));
    const value = this.evaluate(callee, input, frame);
    return this.apply(value, this.all(given, input, frame));
  }

  private all(nodes: readonly MapNode[], input: Value, frame: Frame): Value[] {
    this.path.mute();
    const values = nodes.map((node) => this.part(node, input, frame));
    this.path.unmute();
    return values;
  }

  private apply(callee: Value, given: readonly Value[]): Value {
    if (callee instanceof NativeFunction) return this.applyNative(callee.native, given);
    if (!(callee instanceof DefinedFunction)) throw new MapRefusal('what is called is no function');
    const frame = new Frame(callee.frame);
    for (const [at, name] of callee.definition.parameters.entries()) frame.bind(name, given[at]);
    return this.evaluate(callee.definition.body, callee.input, frame);
  }

  private applyNative(native: Native, given: readonly Value[]): Value {
    for (const value of given) if (typeof value === 'string') this.charge(Math.ceil(value.length / charsPerStep));
    return native.run(given, this);
  }
}

/** One that was found is itself, none is nothing. */
function settled(found: Sequence, keepsList: boolean): Value {
  if (keepsList) found.staysList = true;
  if (found.length > 1 || (found.length === 1 && found.staysList)) return found;
  return found[0];
}

function listAround(value: Value): Value[] {
  return isList(value) ? value : sequenceOf(value);
}

/** A list of the record is one already. */
function keptList(found: Value[]): Value[] {
  const kept = found instanceof WholeList ? sequenceOf(found) : found;
  if (kept instanceof Sequence) kept.staysList = true;
  return kept;
}

/** Nothing behind it that must be done with what it finds. */
function isBare({ filters, group, keepsList }: MapNode): boolean {
  return filters.length === 0 && group === null && !keepsList;
}

function isWhole(node: MapNode): boolean {
  return (node.kind === 'list' || node.kind === 'block') && node.isWhole;
}

const computations: Readonly<Partial<Record<Operator, (one: number, other: number) => number | boolean>>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
  '%': (one, other) => one % other,
};

function computed(operator: Operator, one: Value, other: Value): Value {
  if (one === undefined || other === undefined) return undefined;
  if (typeof one !== 'number' || typeof other !== 'number') throw new MapRefusal(`${operator} takes counts`);
  const result = computations[operator]?.(one, other);
  if (typeof result === 'number' && !Number.isFinite(result)) throw new MapRefusal(`${operator} makes no number`);
  return result;
}
