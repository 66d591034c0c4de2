import { createRequire } from 'node:module';

import type jsonata from 'jsonata';

import { nativeNamed } from './functions/natives.js';
import { MapError } from './map-error.js';
import { mapCharsMax, mapNestingMax } from './map-limits.js';
import type { Expression, MapNode, Operator, Pair, Step } from './map-syntax.js';

/** As the parser of JSONata says it: `jsonata.ast()`. */
interface Parsed {
  readonly type: string;
  readonly value?: unknown;
  readonly position?: number;
  readonly steps?: readonly Parsed[];
  readonly stages?: readonly Filter[];
  readonly predicate?: readonly Filter[];
  readonly group?: { readonly lhs: readonly (readonly [Parsed, Parsed])[] };
  readonly keepArray?: boolean;
  readonly keepSingletonArray?: boolean;
  readonly consarray?: boolean;
  readonly focus?: string;
  readonly index?: string;
  readonly lhs?: unknown;
  readonly rhs?: Parsed;
  readonly expression?: Parsed;
  readonly expressions?: readonly Parsed[];
  readonly arguments?: readonly Parsed[];
  readonly procedure?: Parsed;
  readonly signature?: unknown;
  readonly thunk?: boolean;
  readonly body?: Parsed;
  readonly condition?: Parsed;
  readonly then?: Parsed;
  readonly else?: Parsed;
}

interface Filter {
  readonly type: string;
  readonly expr?: Parsed;
}

const syntaxRules: Readonly<Record<string, string>> = {
  S0101: 'a text has no end',
  S0103: 'a text has an unknown escape',
  S0104: 'a text has an unknown escape',
  S0105: 'a name in backquotes has no end',
  S0106: 'a comment has no end',
  S0203: 'something is missing at the end',
  S0207: 'something is missing at the end',
  S0302: 'a pattern has no end',
};

const refusedKinds: Readonly<Record<string, string>> = {
  sort: 'nothing is ordered by ^(...): numbers of a record are text, and lists keep their order',
  descendant: '** is not taken: name the way to what is meant',
  parent: '% is not taken: bind what is meant before, as in $order := $',
  partial: 'no function is applied in part: write function($x){...}',
  transform: '|...| is not taken: write the object that is meant',
};

const operators: readonly Operator[] = [
  'and',
  'or',
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
  '&',
  'in',
];

/** The text as JSONata, of which we take a part. @throws MapError */
export function readMap(text: string): MapNode {
  if (text.length > mapCharsMax) throw new MapError(`longer than ${mapCharsMax} characters`, 0, text);
  return new Reader(text).node(parsed(text), 0);
}

/** Its parser is loaded where there is a map. */
function parsed(text: string): Parsed {
  const parse = createRequire(import.meta.url)('jsonata') as typeof jsonata;
  try {
    return parse(text).ast();
  } catch (error) {
    if (error instanceof RangeError) throw new MapError('nests too deep', 0, text);
    // The message of JSONata quotes the map.
    const { code = '', position = 0 } = error as { readonly code?: string; readonly position?: number };
    throw new MapError(syntaxRules[code] ?? 'is no JSONata', position, text);
  }
}

/** Makes our expressions of the parser's: what is not known here is refused. */
class Reader {
  constructor(private readonly text: string) {}

  node(from: Parsed, depth: number, position = 0): MapNode {
    const at = positionOf(from) ?? position;
    if (depth > mapNestingMax) this.refuse(`nests deeper than ${mapNestingMax}`, at);
    if (from.thunk === true && from.body !== undefined) return this.node(from.body, depth, at);
    if (from.focus !== undefined || from.index !== undefined) {
      this.refuse('@ and # bind nothing here: use $map(list, function($item, $index){...})', at);
    }
    const common = {
      position: at,
      filters: this.filters(from.predicate, depth, at),
      group: from.group === undefined ? null : this.pairs(from.group.lhs, depth, at),
      keepsList: from.keepArray === true,
    };
    return { ...common, ...this.own(from, depth + 1, at) };
  }

  private own(from: Parsed, depth: number, at: number): Expression {
    switch (from.type) {
      case 'string':
      case 'number':
      case 'value':
        return { kind: 'literal', value: from.value as string | number | boolean | null };
      case 'name':
        return { kind: 'name', name: String(from.value) };
      case 'wildcard':
        return { kind: 'wildcard' };
      case 'regex':
        return { kind: 'pattern', pattern: this.pattern(from.value, at) };
      case 'variable':
        return this.variable(String(from.value));
      case 'path':
        return this.path(from, depth, at);
      case 'unary':
        return this.unary(from, depth, at);
      case 'binary':
        return this.binary(from, depth, at);
      case 'apply':
        return this.applied(from, depth, at);
      case 'block':
        return {
          kind: 'block',
          expressions: this.nodes(from.expressions, depth, at),
          isWhole: from.consarray === true,
        };
      default:
        return this.functional(from, depth, at);
    }
  }

  private functional(from: Parsed, depth: number, at: number): Expression {
    switch (from.type) {
      case 'condition':
        return this.condition(from, depth, at);
      case 'bind':
        return {
          kind: 'bind',
          name: String((from.lhs as Parsed).value),
          value: this.part(from.rhs, depth, at),
        };
      case 'lambda':
        return this.lambda(from, depth, at);
      case 'function':
        return this.call(from, [], depth, at);
      default:
        return this.refuse(refusedKinds[from.type] ?? 'is not taken', at);
    }
  }

  private refuse(rule: string, position: number): never {
    throw new MapError(rule, position, this.text);
  }

  private part(from: Parsed | undefined, depth: number, at: number): MapNode {
    return from === undefined ? this.refuse('something is missing', at) : this.node(from, depth, at);
  }

  private nodes(from: readonly Parsed[] = [], depth: number, at: number): MapNode[] {
    return from.map((each) => this.node(each, depth, at));
  }

  private pairs(from: readonly (readonly [Parsed, Parsed])[] = [], depth: number, at: number): Pair[] {
    return from.map(([key, value]) => [this.node(key, depth + 1, at), this.node(value, depth + 1, at)]);
  }

  private filters(from: readonly Filter[] = [], depth: number, at: number): MapNode[] {
    return from.map(({ type, expr }) => {
      if (type !== 'filter') this.refuse('# binds nothing here: use $map(list, function($item, $index){...})', at);
      return this.part(expr, depth + 1, at);
    });
  }

  private variable(name: string): Expression {
    const native = nativeNamed(name);
    return native === undefined ? { kind: 'variable', name } : { kind: 'native', native };
  }

  private path(from: Parsed, depth: number, at: number): Expression {
    const steps = (from.steps ?? []).map((step): Step => ({
      node: this.node(step, depth, at),
      stages: this.filters(step.stages, depth, step.position ?? at),
    }));
    return { kind: 'path', steps, isList: from.keepSingletonArray === true };
  }

  private unary(from: Parsed, depth: number, at: number): Expression {
    if (from.value === '[') {
      return { kind: 'list', items: this.nodes(from.expressions, depth, at), isWhole: from.consarray === true };
    }
    if (from.value === '{') return { kind: 'object', pairs: this.pairs(from.lhs as [Parsed, Parsed][], depth, at) };
    return { kind: 'negative', operand: this.part(from.expression, depth, at) };
  }

  private binary(from: Parsed, depth: number, at: number): Expression {
    if (from.value === '..') this.refuse('.. is not taken: use $map(list, function($item, $index){...})', at);
    const operator = operators.find((each) => each === from.value) ?? this.refuse('is not taken', at);
    const left = this.part(from.lhs as Parsed, depth, at);
    return { kind: 'binary', operator, left, right: this.part(from.rhs, depth, at) };
  }

  /** `a ~> $f(b)` is `$f(a, b)`. */
  private applied(from: Parsed, depth: number, at: number): Expression {
    const left = this.part(from.lhs as Parsed, depth, at);
    if (from.rhs?.type === 'function' && from.rhs.predicate === undefined) {
      return this.call(from.rhs, [left], depth, at);
    }
    return { kind: 'call', callee: this.part(from.rhs, depth, at), given: [left] };
  }

  private call(from: Parsed, before: readonly MapNode[], depth: number, at: number): Expression {
    const { procedure } = from;
    if (procedure?.type === 'path') this.refuse('is no function: a function begins with $', at);
    const callee = this.part(procedure, depth, at);
    const given = [...before, ...this.nodes(from.arguments, depth, at)];
    return { kind: 'call', callee, given: [...contextOf(callee, given.length), ...given] };
  }

  /** The parser writes `a ?? b` with `a` copied, and says so by a function that stands nowhere. */
  private condition(from: Parsed, depth: number, at: number): Expression {
    const { condition } = from;
    if (condition?.type === 'function' && condition.position === undefined) {
      return { kind: 'default', value: this.part(from.then, depth, at), otherwise: this.part(from.else, depth, at) };
    }
    const otherwise = from.else === undefined ? null : this.node(from.else, depth, at);
    const test = this.part(condition, depth, at);
    return { kind: 'condition', test, then: this.part(from.then, depth, at), otherwise };
  }

  private lambda(from: Parsed, depth: number, at: number): Expression {
    if (from.signature !== undefined) this.refuse('functions have no signatures here', at);
    const parameters = (from.arguments ?? []).map(({ type, value }) => {
      return type === 'variable' ? String(value) : this.refuse('a parameter begins with $', at);
    });
    return { kind: 'function', parameters, body: this.part(from.body, depth, at) };
  }

  private pattern(value: unknown, at: number): RegExp {
    if (!(value instanceof RegExp)) {
      return this.refuse('this pattern stands where JSONata loses it: bind it before', at);
    }
    try {
      return new RegExp(value.source, `${value.flags.replaceAll('g', '')}gu`);
    } catch {
      return this.refuse('is no pattern of Unicode', at);
    }
  }
}

/** `name.$uppercase()` is `$uppercase(name)`. */
function contextOf(callee: MapNode, count: number): MapNode[] {
  if (callee.kind !== 'native' || callee.native.isMethod !== true || count !== callee.native.takes[0] - 1) return [];
  const { position } = callee;
  return [{ kind: 'variable', name: '', position, filters: [], group: null, keepsList: false }];
}

/** The parser tells where a word ends; a path stands where its first step does. */
function positionOf({ type, value, position, steps = [] }: Parsed): number | undefined {
  if (position === undefined) return steps[0] === undefined ? undefined : positionOf(steps[0]);
  const shown = typeof value === 'string' ? value.length : 1;
  return Math.max(0, position - shown - (type === 'variable' ? 1 : 0));
}
