import type { Random } from '#platform';

/** Seeded pseudo-random numbers (mulberry32): the same seed gives the same numbers. */
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

  /** An integer from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.unit() * (to - from + 1));
  }

  happens(probability: number): boolean {
    return probability > 0 && this.unit() < probability;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[Math.floor(this.unit() * items.length)] ?? items[0];
  }

  /** An item of a list that may be empty. */
  pickAny<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.unit() * items.length)];
  }

  /**
   * Numbers of their own for one purpose, whatever has been drawn here: what is switched off must not change what the
   * rest draws.
   */
  fork(purpose: string): Chance {
    let hash = 0x811c9dc5 ^ this.seed;
    for (let index = 0; index < purpose.length; index += 1) {
      hash = Math.imul(hash ^ purpose.charCodeAt(index), 0x01000193);
    }
    return new Chance(Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d));
  }
}

/** A process' random port: ids, initialisation vectors and jitter follow from the seed. */
export class SimRandom implements Random {
  constructor(private readonly chance: Chance) {}

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let index = 0; index < count; index += 1) bytes[index] = this.chance.unit() * 256;
    return bytes;
  }

  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  unit(): number {
    return this.chance.unit();
  }
}
