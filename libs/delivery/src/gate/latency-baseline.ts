/** A baseline that was not confirmed for one to two of these is forgotten. */
export const baselineEpochMs = 30_000;
/** Fewer answers of one operation say nothing about its latency. */
const samplesMin = 8;

interface Sum {
  readonly count: number;
  readonly totalMs: number;
}

/**
 * How long each operation takes when the partner has nothing else to do: the lowest mean of a window within the last
 * minute or so. Means, not single answers: operations that sometimes answer from a cache would look slow ever after.
 */
export class LatencyBaseline {
  private current = new Map<string, number>();
  private previous = new Map<string, number>();
  private open = new Map<string, Sum>();

  add(operation: string, durationMs: number): void {
    const { count, totalMs } = this.open.get(operation) ?? { count: 0, totalMs: 0 };
    const sum = { count: count + 1, totalMs: totalMs + durationMs };
    if (sum.count < samplesMin) {
      this.open.set(operation, sum);
      return;
    }
    this.open.delete(operation);
    const mean = sum.totalMs / sum.count;
    this.current.set(operation, Math.min(mean, this.current.get(operation) ?? Infinity));
  }

  /** Milliseconds; null: not known yet. */
  of(operation: string): number | null {
    const known = [this.current.get(operation), this.previous.get(operation)].filter((ms) => ms !== undefined);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** Begins a new epoch. @returns whether some operation is slower for good */
  roll(): boolean {
    const before = this.operations().map((operation) => ({ operation, ms: this.of(operation) ?? Infinity }));
    this.previous = this.current;
    this.current = new Map();
    return before.some(({ operation, ms }) => (this.previous.get(operation) ?? 0) > ms * slowerFactor);
  }

  private operations(): string[] {
    return [...new Set([...this.current.keys(), ...this.previous.keys()])];
  }
}

/** A baseline that rises by this much is another partner, so to speak: what was learned about it is void. */
const slowerFactor = 1.5;
