/** Numbers that a seed decides: the same seed, the same numbers in the same order. */
export class Chance {
  private state: number;

  constructor(private readonly seed: number) {
    this.state = seed | 0;
  }

  /** A stream of its own, so that one part of a run does not move another part's numbers. */
  fork(name: string): Chance {
    let hash = this.seed | 0;
    for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
    return new Chance(hash ^ 0x5bd1e995);
  }

  /** In [0, 1). Mulberry32. */
  unit(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  /** A whole number in [min, max]. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  isLucky(probability: number): boolean {
    return this.unit() < probability;
  }

  /** @throws RangeError for an empty list */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('nothing to choose from');
    return item;
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const keyed = items.map((item) => ({ item, key: this.unit() }));
    return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
  }

  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.unit() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return this.pick(entries.map(([name]) => name));
  }
}
