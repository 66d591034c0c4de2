import type { Automaton } from './pattern-automaton.js';
import { UnjudgedPattern } from './pattern-automaton.js';
import type { Characters } from './pattern-characters.js';

/** A text by the kinds of its characters. */
export type Word = readonly number[];

/** Places that are looked at together; behind them what else must be remembered. */
type Tuple = readonly number[];

/** Tuples that the searches of one pattern may look at, all together. */
const tuplesMax = 1_000_000;
/** Texts that are made. */
const textsMax = 60;

/** A word that, said again and again, multiplies the ways through a pattern between these places. */
interface Pump {
  readonly from: number;
  readonly to: number;
  readonly word: Word;
}

interface Search {
  readonly starts: readonly Tuple[];
  readonly isGoal: (tuple: Tuple) => boolean;
  /** What follows a tuple whose places have all taken the same character. */
  readonly follow: (tuple: Tuple) => Iterable<Tuple>;
  /** How many of a tuple are places. */
  readonly places: number;
}

interface Found {
  readonly word: Word;
  readonly first: Tuple;
  readonly last: Tuple;
}

interface Visit {
  readonly tuple: Tuple;
  readonly before: Visit | null;
  readonly kind: number;
}

/**
 * Looks for texts at which a pattern is slow. Two different ways from a place back to it by one word double the tries with
 * each repetition; a word by which a loop stays, a later loop stays, and the first leads to the later one multiplies them by
 * its count. There are no other reasons (Weber and Seidl, "On the degree of ambiguity of finite automata", 1991).
 */
export class SlowTexts {
  private budget = tuplesMax;
  private readonly reach: readonly ReadonlySet<number>[];

  constructor(
    private readonly automaton: Automaton,
    private readonly characters: Characters,
  ) {
    this.reach = automaton.follow.map((_, at) => this.reachOf(at));
  }

  /** @returns texts of that length. @throws {UnjudgedPattern} */
  texts(length: number): Word[] {
    const loops = [...this.reach.keys()].filter((at) => this.reaches(at, at));
    const components = this.components(loops);
    const doubling = components.map((component) => this.doubling(component)).filter((pump) => pump !== null);
    const multiplying = components.flatMap((component) => this.multiplying(component, components));
    const pumps = [...doubling, ...multiplying];
    const pairs = pumps.flatMap((pump) => this.behind(pump, pumps).map((next) => [pump, next]));
    const triples = pairs.flatMap(([pump, next]) =>
      pump === undefined || next === undefined ? [] : this.behind(next, pumps).map((last) => [pump, next, last]),
    );
    const chains = [...pumps.map((pump) => [pump]), ...triples, ...pairs];
    return chains.slice(0, textsMax).map((chain) => this.textOf(chain, length));
  }

  private behind({ to }: Pump, pumps: readonly Pump[]): Pump[] {
    return pumps.filter(({ from }) => to === from || this.reaches(to, from));
  }

  private textOf(chain: readonly Pump[], length: number): Word {
    const share = Math.floor(length / chain.length);
    const text: number[] = [];
    let places = this.automaton.start.map(([to]) => to);
    for (const { from, to, word } of chain) {
      text.push(...this.way(places, from));
      for (let left = share; left >= word.length; left -= word.length) text.push(...word);
      places = [to];
    }
    return text.slice(0, length);
  }

  private reaches(from: number, to: number): boolean {
    return this.reach[from]?.has(to) === true;
  }

  private reachOf(from: number): ReadonlySet<number> {
    const seen = new Set<number>();
    const left = [from];
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      for (const to of this.follow(at)) {
        if (seen.has(to)) continue;
        seen.add(to);
        left.push(to);
      }
    }
    return seen;
  }

  private follow(at: number): number[] {
    return (this.automaton.follow[at] ?? []).map(([to]) => to);
  }

  private areTogether(one: number, other: number): boolean {
    return one === other || (this.reaches(one, other) && this.reaches(other, one));
  }

  private components(loops: readonly number[]): number[][] {
    const first = loops.filter((at) => loops.every((other) => other >= at || !this.areTogether(at, other)));
    return first.map((at) => loops.filter((other) => this.areTogether(at, other)));
  }

  private doubling(component: readonly number[]): Pump | null {
    const within = new Set(component);
    const steps = (at = 0): readonly (readonly [number, number])[] =>
      (this.automaton.follow[at] ?? []).filter(([to]) => within.has(to));
    const found = this.search({
      starts: component.map((at) => [at, at, 0]),
      isGoal: ([one, other, hasParted]) => one === other && hasParted === 1,
      follow: ([one, other, hadParted]) =>
        steps(one).flatMap(([left, ways]) =>
          steps(other).map(([right]): Tuple => {
            const parts = left !== right || (one === other && ways > 1);
            return [left, right, parts ? 1 : (hadParted ?? 0)];
          }),
        ),
      places: 2,
    });
    if (found === null) return null;
    const [from = 0] = found.first;
    return { from, to: from, word: [...found.word, ...this.way([found.last[0] ?? from], from)] };
  }

  private multiplying(component: readonly number[], components: readonly (readonly number[])[]): Pump[] {
    const [from = 0] = component;
    const later = components.filter(([to = from]) => this.reaches(from, to) && !this.areTogether(from, to));
    return later.flatMap((other) => this.staying(component, other) ?? []);
  }

  private staying(component: readonly number[], other: readonly number[]): Pump | null {
    for (const from of component) {
      for (const to of other) {
        const found = this.search({
          starts: [[from, from, to]],
          isGoal: ([first, second, third]) => first === from && second === to && third === to,
          follow: (tuple) => this.stayingSteps(tuple, from, to),
          places: 3,
        });
        if (found !== null) return { from, to, word: found.word };
      }
    }
    return null;
  }

  private *stayingSteps([first = 0, second = 0, third = 0]: Tuple, from: number, to: number): Generator<Tuple> {
    const seconds = this.follow(second).filter((at) => at === to || this.reaches(at, to));
    const thirds = this.follow(third).filter((at) => this.areTogether(at, to));
    for (const one of this.follow(first).filter((at) => this.areTogether(at, from))) {
      for (const two of seconds) for (const three of thirds) yield [one, two, three];
    }
  }

  /** The shortest word from one of these places to another; empty where it is one of them. */
  private way(places: readonly number[], to: number): Word {
    if (places.includes(to)) return [];
    const starts = places.map((at) => [at]);
    const follow = ([at = 0]: Tuple): Tuple[] => this.follow(at).map((next) => [next]);
    return this.search({ starts, isGoal: ([at]) => at === to, follow, places: 1 })?.word ?? [];
  }

  /** Breadth first, so that words are short. At least one character long. */
  private search({ starts, isGoal, follow, places }: Search): Found | null {
    const seen = new Set<string>();
    const left: Visit[] = starts.map((tuple) => ({ tuple, before: null, kind: -1 }));
    for (const visit of left) {
      const kind = this.characters.shared(visit.tuple.slice(0, places).map((at) => this.automaton.atoms[at] ?? 0));
      if (kind === -1) continue;
      for (const tuple of follow(visit.tuple)) {
        const next: Visit = { tuple, before: visit, kind };
        if (isGoal(tuple)) return foundBy(next);
        if (seen.size === seen.add(tuple.join()).size) continue;
        this.budget -= 1;
        if (this.budget < 0) throw new UnjudgedPattern('has too many ways through it');
        left.push(next);
      }
    }
    return null;
  }
}

function foundBy(last: Visit): Found {
  const word: number[] = [];
  let visit = last;
  for (; visit.before !== null; visit = visit.before) word.push(visit.kind);
  return { word: word.reverse(), first: visit.tuple, last: last.tuple };
}

/** Greedy texts begin anew after so many characters, and look so far ahead: not at all, or to their end. */
const greedy = [
  { chars: 250, ahead: 1 },
  { chars: 40, ahead: 40 },
  { chars: 120, ahead: 120 },
];

/** By count of characters, by position: how many ways go on from there for up to so many, whatever these are. */
function waysAhead(follow: Automaton['follow'], charsMax: number): number[][] {
  const all = [follow.map(() => 1)];
  for (const before of all) {
    if (all.length > charsMax) break;
    all.push(follow.map((steps) => steps.reduce((sum, [to, ways]) => sum + ways * (before[to] ?? 0), 1)));
  }
  return all;
}

/** Texts that take, character by character, what most ways go on with: of choices without a loop, of which each may double them. */
export function greedyTexts({ atoms, follow, start }: Automaton, characters: Characters, length: number): Word[] {
  const ahead = waysAhead(follow, Math.max(...greedy.map((each) => each.ahead)));
  return greedy.map(({ chars, ahead: aheadMax }) => {
    const word: number[] = [];
    for (let ways = new Map(start); word.length < chars;) {
      const worth = ahead[Math.min(aheadMax, chars - word.length)];
      const kind = bestKind(ways, (at) => worth?.[at] ?? 0, { atoms, characters });
      word.push(kind);
      ways = taken(ways, { atoms, follow, characters, kind });
    }
    return Array.from({ length }, (_, at) => word[at % word.length] ?? 0);
  });
}

function bestKind(
  ways: ReadonlyMap<number, number>,
  worth: (at: number) => number,
  { atoms, characters }: Pick<Taking, 'atoms' | 'characters'>,
): number {
  const worths = characters.kinds.map((_, kind) => {
    let sum = 0;
    for (const [at, count] of ways) if (characters.takes(atoms[at] ?? 0, kind)) sum += count * worth(at);
    return sum;
  });
  return worths.indexOf(Math.max(...worths));
}

interface Taking extends Pick<Automaton, 'atoms' | 'follow'> {
  readonly characters: Characters;
  readonly kind: number;
}

/** Where the ways are when they have taken a character. */
function taken(ways: ReadonlyMap<number, number>, { atoms, follow, characters, kind }: Taking): Map<number, number> {
  const next = new Map<number, number>();
  for (const [at, count] of ways) {
    if (!characters.takes(atoms[at] ?? 0, kind)) continue;
    for (const [to, more] of follow[at] ?? []) next.set(to, (next.get(to) ?? 0) + count * more);
  }
  return next;
}

/** How many characters a matcher tries in a text that nearly fits, until it gives up: counted, not tried. */
export function stepsOf({ atoms, follow, start }: Automaton, characters: Characters, text: Word): number {
  let steps = 0;
  let ways = new Map(start);
  for (const kind of text) {
    for (const count of ways.values()) steps += count;
    ways = taken(ways, { atoms, follow, characters, kind });
  }
  return steps;
}
