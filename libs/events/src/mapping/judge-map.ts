import { judgePattern } from '#platform/patterns';

import { nativeNamed, whyRefused } from './functions/natives.js';
import { inferKinds, RESERVED, type Kinds } from './infer-kinds.js';
import { MapError } from './map-error.js';
import { patternTextCharsMax } from './map-limits.js';
import { partsOf, type MapNode, type NodeOf, type Pair } from './map-syntax.js';
import type { Native } from './native.js';

/** Characters that a pattern may try in one text. */
const patternStepsMax = 1_000_000;

const whatDecides =
  'must be true or false: numbers of a record are text, and "0" would be true. Write $exists(x), x = true, or compare';
const whatCounts =
  'computes with counts and numbers of the map only: numbers of a record are text. Use $add, $subtract, $times, $total, $minor';
const whatCompares =
  'compares counts and numbers only: of the texts of a record "10" is before "9". Use $compare(a, b) < 0';
const whereBound = 'a variable is bound in parentheses: ($x := 1; ...)';
const whatEquals = 'numbers of a record are text: write "5", or $compare(a, "5") = 0';

/** Names that are bound in a block or a function. */
interface Scope {
  /** By now. */
  readonly bound: Set<string>;
  /** By the end: what a function sees that is called later. */
  readonly all: ReadonlySet<string>;
  readonly outer: Scope | null;
  readonly isFunction: boolean;
}

/** Holds a map to the rules that keep amounts exact and its meaning the input's. @throws MapError */
export function judgeMap(map: MapNode, text: string): void {
  new Judge(text, inferKinds(map)).walkAlone(map);
}

class Judge {
  constructor(
    private readonly text: string,
    private readonly kinds: Kinds,
  ) {}

  walkAlone(map: MapNode): void {
    if (map.kind === 'bind') this.refuse(whereBound, map);
    this.walk(map, null);
  }

  private walk(node: MapNode, scope: Scope | null): void {
    this.holdTo(node, scope);
    if (node.kind === 'block') this.walkBlock(node, scope);
    else if (node.kind === 'function') this.walkFunction(node, scope);
    else this.walkParts(node, scope);
  }

  private refuse(rule: string, { position }: MapNode): never {
    throw new MapError(rule, position, this.text);
  }

  private walkParts(node: MapNode, scope: Scope | null): void {
    for (const part of partsOf(node)) {
      if (part.kind === 'bind') this.refuse(whereBound, part);
      this.walk(part, scope);
    }
  }

  private walkBlock(node: NodeOf<'block'> & MapNode, outer: Scope | null): void {
    const binds = node.expressions.filter((part) => part.kind === 'bind');
    const scope: Scope = { bound: new Set(), all: new Set(binds.map(({ name }) => name)), outer, isFunction: false };
    for (const part of node.expressions) {
      this.walk(part, scope);
      if (part.kind === 'bind') scope.bound.add(part.name);
    }
    for (const part of [...node.filters, ...(node.group ?? []).flat()]) this.walk(part, outer);
  }

  private walkFunction(node: NodeOf<'function'> & MapNode, outer: Scope | null): void {
    for (const name of node.parameters) this.holdName(name, node);
    const names = new Set(node.parameters);
    this.walk(node.body, { bound: names, all: names, outer, isFunction: true });
  }

  private holdName(name: string, node: MapNode): void {
    if (RESERVED.has(name) || nativeNamed(name) !== undefined) {
      this.refuse(`$${name} has a meaning of its own: choose another name`, node);
    }
  }

  private holdTo(node: MapNode, scope: Scope | null): void {
    for (const filter of node.filters) this.holdFilter(filter);
    if (node.group !== null) this.holdKeys(node.group);
    switch (node.kind) {
      case 'variable': {
        this.holdBound(node, scope);
        return;
      }
      case 'bind': {
        this.holdName(node.name, node);
        return;
      }
      case 'path':
        for (const filter of node.steps.flatMap(({ stages }) => stages)) this.holdFilter(filter);
        return;
      case 'binary': {
        this.holdBinary(node);
        return;
      }
      case 'negative': {
        this.holdCounts([node.operand], node);
        return;
      }
      case 'condition': {
        this.holdDecision(node.test);
        return;
      }
      case 'object': {
        this.holdKeys(node.pairs);
        return;
      }
      case 'call': {
        this.holdCall(node, scope);
        return;
      }
      case 'pattern': {
        this.holdPattern(node);
        return;
      }
      case 'literal':
      case 'name':
      case 'wildcard':
      case 'native':
      case 'list':
      case 'default':
      case 'block':
      case 'function':
        return;
      default:
        node satisfies never;
    }
  }

  private holdBound(node: NodeOf<'variable'>, scope: Scope | null): void {
    let isLater = false;
    for (let at = scope; at !== null; at = at.outer) {
      if ((isLater ? at.all : at.bound).has(node.name)) return;
      isLater ||= at.isFunction;
    }
    if (RESERVED.has(node.name)) return;
    const why = whyRefused(node.name) ?? 'is bound by nothing before, and no function here';
    this.refuse(`$${node.name} ${why}`, node);
  }

  private isNumber(node: MapNode): boolean {
    const kind = this.kinds.of(node);
    return kind === 'count' || kind === 'number';
  }

  private holdsNumber(node: MapNode): boolean {
    return (
      this.isNumber(node) ||
      ((node.kind === 'list' || node.kind === 'object') && partsOf(node).some((part) => this.holdsNumber(part)))
    );
  }

  private holdCounts(operands: readonly MapNode[], node: MapNode): void {
    for (const operand of operands) {
      const kind = this.kinds.of(operand);
      if (kind !== 'count' && kind !== 'never') this.refuse(whatCounts, node);
    }
  }

  private holdDecision(node: MapNode, question: 'of' | 'ofCalled' = 'of'): void {
    const kind = this.kinds[question](node);
    if (kind !== 'boolean' && kind !== 'never') this.refuse(whatDecides, node);
  }

  /** One of a list by its place, some by places, or those of which something is true. */
  private holdFilter(node: MapNode): void {
    const places = node.kind === 'list' ? node.items : [node];
    if (!places.every((place) => this.kinds.of(place) === 'count')) this.holdDecision(node);
  }

  private holdBinary(node: NodeOf<'binary'>): void {
    const sides = [node.left, node.right];
    switch (node.operator) {
      case 'and':
      case 'or':
        for (const side of sides) this.holdDecision(side);
        return;
      case '=':
      case '!=':
      case 'in':
        if (this.holdsNumber(node.left) !== this.holdsNumber(node.right)) this.refuse(whatEquals, node);
        return;
      case '<':
      case '<=':
      case '>':
      case '>=':
        if (!sides.every((side) => this.isNumber(side))) this.refuse(whatCompares, node);
        return;
      case '+':
      case '-':
      case '*':
      case '/':
      case '%': {
        this.holdCounts(sides, node);
        return;
      }
      case '&':
        return;
      default:
        node.operator satisfies never;
    }
  }

  private holdKeys(pairs: readonly Pair[]): void {
    const known = new Set<string>();
    for (const [key] of pairs) {
      if (this.isNumber(key)) this.refuse('a name in an object is text', key);
      if (key.kind !== 'literal' || typeof key.value !== 'string') continue;
      if (known.has(key.value)) this.refuse('names a field twice', key);
      known.add(key.value);
    }
  }

  private holdCall(node: NodeOf<'call'>, scope: Scope | null): void {
    if (node.callee.kind === 'native') {
      this.holdNative(node.callee.native, node);
      return;
    }
    if (node.callee.kind === 'variable') this.holdBound(node.callee, scope);
    if (node.given.some((argument) => this.holdsNumber(argument))) {
      this.refuse('numbers are not passed to functions of a map: inside they could not be told from text', node);
    }
  }

  private holdNative(native: Native, node: NodeOf<'call'> & MapNode): void {
    const { name, takes, literals = [] } = native;
    const [min, max] = takes;
    const count = node.given.length;
    if (count > max || count < min) {
      this.refuse(`$${name} takes ${min === max ? min : `${min} to ${max}`} arguments`, node);
    }
    const texts = node.given.map(textOf);
    if (literals.some((place) => texts[place] === undefined)) {
      this.refuse(`$${name} takes words of the map itself there, in quotes`, node);
    }
    const problem = native.judge?.(texts) ?? null;
    if (problem !== null) this.refuse(`$${name}: ${problem}`, node);
    this.holdDecider(native, node);
  }

  private holdDecider({ decides, walks }: Native, { given }: NodeOf<'call'>): void {
    const decision = decides === undefined ? undefined : given[decides];
    if (decision !== undefined) this.holdDecision(decision, walks === undefined ? 'of' : 'ofCalled');
  }

  private holdPattern(node: NodeOf<'pattern'>): void {
    const bounds = { charsMax: patternTextCharsMax, stepsMax: patternStepsMax };
    const problem = judgePattern(node.pattern.source, node.pattern.flags.replaceAll('g', ''), bounds);
    if (problem !== null) this.refuse(`a pattern ${problem}`, node);
  }
}

function textOf(node: MapNode): string | undefined {
  return node.kind === 'literal' && typeof node.value === 'string' && node.filters.length === 0
    ? node.value
    : undefined;
}
