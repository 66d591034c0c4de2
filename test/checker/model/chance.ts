/** Seeded pseudo-random numbers (mulberry32): the same seed gives the same run. */
export class Chance {
  constructor(private state: number) {}

  /** Uniform in [0, 1). */
  unit(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(from: number, to: number): number {
    return from + Math.floor(this.unit() * (to - from + 1));
  }

  happens(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.unit() * items.length)];
  }
}
