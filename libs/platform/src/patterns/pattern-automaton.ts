import type { Features, Quantifier, RootNode } from 'regjsparser';
import type { Characters } from './pattern-characters.js';

/** What of regular expressions is read: all that `u` allows. */
export const patternFeatures = {
  lookbehind: true,
  namedGroups: true,
  unicodePropertyEscape: true,
  modifiers: true,
} as const satisfies Features;

export type PatternNode = RootNode<typeof patternFeatures>;

/** A pattern whose time cannot be told; the message says why. */
export class UnjudgedPattern extends Error {
  override readonly name = 'UnjudgedPattern';
}

/** Positions of a pattern, copies of repeated parts included. */
export const positionsMax = 2_000;
/** Ways between positions that are looked at. */
const waysMax = 400_000;

/** To a position, and by how many ways without a character on the way: `(?:a*)*` has two from its `a` back to it. */
export type Step = readonly [to: number, ways: number];

/**
 * How a backtracking matcher goes through a text: at each position it takes one character, and tries all that may follow. The
 * last position is the search for a beginning: it takes any character and stays.
 */
export interface Automaton {
  /** By position: what it takes, as an atom of `Characters`. */
  readonly atoms: readonly number[];
  readonly follow: readonly (readonly Step[])[];
  readonly start: readonly Step[];
}

interface State {
  /** Takes a character, passes at the beginning of a text only, passes in some texts, or passes always. */
  readonly kind: 'take' | 'at-start' | 'assertion' | 'split';
  readonly atom: number;
  readonly next: number[];
  /** Where the pattern, or the lookaround that it stands in, has found what it looks for. */
  readonly end: number;
}

interface Place {
  readonly next: number;
  readonly end: number;
}

/** Where a state leads without a character. */
interface Closure {
  readonly ways: ReadonlyMap<number, number>;
  /** Found, whatever comes. */
  readonly ends: ReadonlySet<number>;
}

/** Builds states back to front: each knows what comes after it. */
export class PatternStates {
  private readonly states: State[] = [];
  private budget = waysMax;
  private taking = 0;

  /** @param copiesMax repetitions that are counted; more of them are without end here, which has at least as many ways */
  constructor(
    private readonly characters: Characters,
    private readonly copiesMax: number,
  ) {}

  /** @throws {UnjudgedPattern} */
  automaton(root: PatternNode): Automaton {
    const found = this.add('split', []);
    const entry = this.build(root, { next: found, end: found });
    const takers = [...this.states.keys()].filter((id) => this.states[id]?.kind === 'take');
    const numbers = new Map(takers.map((id, at) => [id, at]));
    const closures = takers.map((id) => this.closure(this.states[id]?.next[0] ?? found, false));
    const steps = ({ ways }: Closure): Step[] => [...ways].map(([id, count]) => [numbers.get(id) ?? 0, count]);
    const follow = closures.map(steps);
    const isOver = this.over(takers, closures, follow);
    const begin = (atStart: boolean): Step[] => {
      const closure = this.closure(entry, atStart);
      const first = steps(closure);
      return closure.ends.has(found) && first.every(([to]) => isOver[to]) ? [] : first;
    };
    const search: Step = [takers.length, 1];
    return {
      atoms: [...takers.map((id) => this.states[id]?.atom ?? 0), this.characters.anything],
      follow: [...follow.map((some, at) => (isOver[at] === true ? [] : some)), [search, ...begin(false)]],
      start: [search, ...begin(true)],
    };
  }

  /** Behind which every way has found it: nothing is tried again from there. */
  private over(
    takers: readonly number[],
    closures: readonly Closure[],
    follow: readonly (readonly Step[])[],
  ): boolean[] {
    const isOver = takers.map((id, at) => closures[at]?.ends.has(this.states[id]?.end ?? -1) === true);
    for (let isSettled = false; !isSettled;) {
      isSettled = true;
      for (const [at, steps] of follow.entries()) {
        if (isOver[at] !== true || steps.every(([to]) => isOver[to])) continue;
        isOver[at] = false;
        isSettled = false;
      }
    }
    return isOver;
  }

  private add(kind: State['kind'], next: number[], atom = 0, end = 0): number {
    if (kind === 'take') this.taking += 1;
    if (this.taking > positionsMax) throw new UnjudgedPattern(`has more than ${positionsMax} positions`);
    return this.states.push({ kind, atom, next, end }) - 1;
  }

  private build(node: PatternNode, place: Place): number {
    switch (node.type) {
      case 'alternative':
        return this.sequence(node.body, place);
      case 'disjunction':
        return this.add(
          'split',
          node.body.map((each) => this.build(each, place)),
        );
      case 'quantifier':
        return this.repeated(node, place);
      case 'anchor':
        return this.anchor(node.kind, place);
      case 'group':
        return node.behavior === 'normal' || node.behavior === 'ignore'
          ? this.sequence(node.body, place)
          : this.lookaround(node.body, place);
      case 'reference':
        throw new UnjudgedPattern('refers back to what it has matched');
      case 'value':
      case 'characterClass':
      case 'characterClassEscape':
      case 'unicodePropertyEscape':
      case 'dot':
        return this.add('take', [place.next], this.characters.atom(node.type === 'dot' ? null : node.raw), place.end);
    }
  }

  private sequence(nodes: readonly PatternNode[], { next, end }: Place): number {
    return nodes.reduceRight((after, node) => this.build(node, { next: after, end }), next);
  }

  private anchor(kind: 'start' | 'end' | 'boundary' | 'not-boundary', { next }: Place): number {
    if (kind === 'start') return this.add('at-start', [next]);
    // No character follows on an end.
    return this.add('assertion', kind === 'end' ? [] : [next]);
  }

  /** What it looks at is tried beside what follows. One that looks back takes as long as if it looked ahead. */
  private lookaround(body: readonly PatternNode[], { next }: Place): number {
    const found = this.add('split', []);
    const look = this.sequence(body, { next: found, end: found });
    return this.add('split', [look, this.add('assertion', [next])]);
  }

  private repeated({ min, max, body }: Quantifier<typeof patternFeatures>, { next, end }: Place): number {
    const [part] = body;
    const isCounted = min <= this.copiesMax && (max ?? min) <= this.copiesMax;
    let after = next;
    if (max === undefined || !isCounted) {
      const loop = this.add('split', []);
      const again = [this.build(part, { next: loop, end }), next];
      this.states[loop]?.next.push(...again);
      // Begun anew, as by a loop around it, it is another way than gone on with.
      after = min > 0 ? loop : this.add('split', again);
    } else {
      for (let count = min; count < max; count += 1) {
        after = this.add('split', [this.build(part, { next: after, end }), next]);
      }
    }
    const copies = isCounted ? min : Math.min(min, 1);
    for (let count = 0; count < copies; count += 1) after = this.build(part, { next: after, end });
    return after;
  }

  private state(id: number): State {
    const state = this.states[id];
    if (state === undefined) throw new RangeError('no such state');
    return state;
  }

  private closure(from: number, atStart: boolean): Closure {
    const ways = new Map<number, number>();
    const ends = new Set<number>();
    const onWay = new Set<number>();
    const visit = (id: number, isSure: boolean): void => {
      this.budget -= 1;
      if (this.budget < 0) throw new UnjudgedPattern('has too many ways through it');
      const { kind, next } = this.state(id);
      if (kind === 'take') {
        countWay(ways, id);
        return;
      }
      if (onWay.has(id) || (kind === 'at-start' && !atStart)) return;
      const isCertain = isSure && kind === 'split';
      if (isCertain && next.length === 0) ends.add(id);
      onWay.add(id);
      for (const to of next) visit(to, isCertain);
      onWay.delete(id);
    };
    visit(from, true);
    return { ways, ends };
  }
}

function countWay(ways: Map<number, number>, to: number): void {
  ways.set(to, (ways.get(to) ?? 0) + 1);
}
