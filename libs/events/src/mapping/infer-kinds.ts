import { partsOf, type MapNode, type NodeOf } from './map-syntax.js';
import type { Kind } from './native.js';

/** What is bound before a map binds anything. */
export const RECORD = 'record';
export const RESERVED: ReadonlySet<string> = new Set(['', '$', RECORD]);

/** What is known of the expressions of a map before there is a record. */
export interface Kinds {
  of(node: MapNode): Kind;
  /** What a call of it comes to, where it is a function. */
  ofCalled(node: MapNode): Kind;
}

/** Names are taken together, wherever they are bound: what differs is anything. */
export function inferKinds(map: MapNode): Kinds {
  const kinds = new InferredKinds();
  const nodes = allOf(map);
  for (const node of nodes) if (node.kind === 'call') kinds.learnPlaces(node);
  let isNew = true;
  while (isNew) isNew = nodes.map((node) => kinds.learn(node)).includes(true);
  return kinds;
}

function allOf(root: MapNode): MapNode[] {
  const found: MapNode[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node);
    open.push(...partsOf(node));
  }
  return found;
}

class InferredKinds implements Kinds {
  private readonly values = new Map<string, Kind>();
  /** What a call of the variable comes to. */
  private readonly results = new Map<string, Kind>();
  /** Which parameter of a function is a place in a list. */
  private readonly places = new Map<MapNode, number>();

  of(node: MapNode): Kind {
    if (node.group !== null || node.filters.length > 0 || node.keepsList) return 'other';
    return this.plain(node);
  }

  ofCalled(node: MapNode): Kind {
    if (node.kind === 'native') return node.native.kind;
    if (node.kind === 'function') return this.of(node.body);
    if (node.kind === 'variable' && node.filters.length === 0) return this.results.get(node.name) ?? 'never';
    return 'other';
  }

  /** The place that `$map` and its like pass beside an item is a count. */
  learnPlaces({ callee, given }: NodeOf<'call'>): void {
    if (callee.kind !== 'native' || callee.native.walks === undefined) return;
    const [argument, parameter] = callee.native.walks;
    const walker = given[argument];
    if (walker?.kind === 'function') this.places.set(walker, parameter);
  }

  /** @returns whether there was something new in it */
  learn(node: MapNode): boolean {
    if (node.kind === 'bind') return this.learnBound(node);
    if (node.kind === 'function') return node.parameters.map((name) => this.learnParameter(name, node)).includes(true);
    return false;
  }

  private learnBound({ name, value }: NodeOf<'bind'>): boolean {
    return [join(this.values, name, this.of(value)), join(this.results, name, this.ofCalled(value))].includes(true);
  }

  private learnParameter(name: string, node: NodeOf<'function'>): boolean {
    const isPlace = node.parameters[this.places.get(node) ?? -1] === name;
    return [join(this.values, name, isPlace ? 'count' : 'other'), join(this.results, name, 'other')].includes(true);
  }

  private plain(node: MapNode): Kind {
    switch (node.kind) {
      case 'literal':
        return kindOfLiteral(node.value);
      case 'variable':
        return this.values.get(node.name) ?? (RESERVED.has(node.name) ? 'other' : 'never');
      case 'binary':
        return kindOfOperator(node);
      case 'negative':
        return 'count';
      case 'condition':
        return joined(this.of(node.then), node.otherwise === null ? 'never' : this.of(node.otherwise));
      case 'default':
        return joined(this.of(node.value), this.of(node.otherwise));
      case 'block': {
        const last = node.expressions.at(-1);
        return last === undefined ? 'other' : this.of(last);
      }
      case 'bind':
        return this.of(node.value);
      case 'call':
        return this.ofCalled(node.callee);
      case 'name':
      case 'wildcard':
      case 'path':
      case 'list':
      case 'object':
      case 'function':
      case 'native':
      case 'pattern':
        return 'other';
      default:
        return node satisfies never;
    }
  }
}

function kindOfLiteral(value: unknown): Kind {
  if (typeof value === 'number') return 'count';
  return typeof value === 'boolean' ? 'boolean' : 'other';
}

const computing: readonly string[] = ['+', '-', '*', '/', '%'];

function kindOfOperator({ operator }: NodeOf<'binary'>): Kind {
  if (operator === '&') return 'other';
  return computing.includes(operator) ? 'count' : 'boolean';
}

const numbers: readonly Kind[] = ['count', 'number'];

function joined(one: Kind, other: Kind): Kind {
  if (numbers.includes(one) && numbers.includes(other)) return one === other ? one : 'number';
  if (one === 'never' || one === other) return other;
  return other === 'never' ? one : 'other';
}

function join(known: Map<string, Kind>, name: string, kind: Kind): boolean {
  const before = known.get(name) ?? 'never';
  const after = joined(before, kind);
  known.set(name, after);
  return after !== before;
}
