/** Seeded pseudo-random numbers (mulberry32, public domain): the same seed gives the same numbers on every machine. */
export class Chance {
  private state: number;

  constructor(private readonly seed: number) {
    this.state = seed | 0;
  }

  /** Uniform in [0, 1). */
  unit(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  /** An integer from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  /** Nothing is drawn for what never happens: what is switched off does not change what the rest draws. */
  happens(probability: number): boolean {
    return probability > 0 && this.unit() < probability;
  }

  /** @throws RangeError for an empty list */
  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new RangeError('nothing to choose from');
    return items[this.below(items.length)] as Item;
  }

  /** An item of a list that may be empty. */
  pickAny<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }

  /** One of the names, each as often as its weight says. @throws RangeError where there are none */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.unit() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return this.pick(entries)[0];
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const keyed = items.map((item) => ({ item, key: this.unit() }));
    return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
  }

  /**
   * Numbers of their own for one purpose, whatever has been drawn here: one part of a run does not move another part's
   * numbers.
   */
  fork(purpose: string): Chance {
    let hash = 0x811c9dc5 ^ this.seed;
    for (let index = 0; index < purpose.length; index += 1) {
      hash = Math.imul(hash ^ purpose.charCodeAt(index), 0x01000193);
    }
    return new Chance(Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d));
  }
}
