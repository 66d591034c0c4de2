import type { Clock } from '#platform';

/** What takes less is made anew for each who asks: they see what they have just done. */
export const cheapMsMax = 100;
/** Making it takes at most one part in so many of the time, however many ask. */
const dutyFactor = 10;
const keysMax = 100;

interface Kept<Answer> {
  readonly answer: Promise<Answer>;
  /** Monotonic ms; infinite while it is made. */
  freshUntil: number;
}

/** Answers that may take long: then they are made once for all who ask meanwhile, and kept for a while. By key. */
export class CostlyAnswers<Answer> {
  private readonly kept = new Map<string, Kept<Answer>>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  get(key: string, make: () => Promise<Answer>): Promise<Answer> {
    const kept = this.kept.get(key);
    if (kept !== undefined && this.clock.monotonic() < kept.freshUntil) return kept.answer;
    return this.made(key, make, kept !== undefined);
  }

  /** @param isCostly it was so the last time: who asks meanwhile waits for this one */
  private async made(key: string, make: () => Promise<Answer>, isCostly: boolean): Promise<Answer> {
    const begunAt = this.clock.monotonic();
    const answer = make();
    const kept = { answer, freshUntil: Infinity };
    if (isCostly) this.keep(key, kept);
    try {
      return await answer;
    } finally {
      const costMs = this.clock.monotonic() - begunAt;
      kept.freshUntil = this.clock.monotonic() + dutyFactor * costMs;
      if (costMs > cheapMsMax) this.keep(key, kept);
      else if (this.kept.get(key) === kept) this.kept.delete(key);
    }
  }

  private keep(key: string, kept: Kept<Answer>): void {
    this.kept.delete(key);
    this.kept.set(key, kept);
    const [eldest] = this.kept.keys();
    if (this.kept.size > keysMax && eldest !== undefined) this.kept.delete(eldest);
  }
}
