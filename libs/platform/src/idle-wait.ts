import type { Wake } from './wake.js';

/** While nothing comes, the wait grows by this part of itself. */
const growth = 0.1;
/** A wait that has grown to so many times the least is worth cutting short. */
const longTimes = 2;

/** How long a loop waits that finds nothing: the longer, the longer nothing has come. */
export class IdleWait {
  private ms = 0;

  constructor(private readonly range: { readonly leastMs: number; readonly mostMs: number }) {}

  next(): number {
    const { leastMs, mostMs } = this.range;
    this.ms = Math.min(mostMs, Math.max(leastMs, this.ms * (1 + growth)));
    return this.ms;
  }

  reset(): void {
    this.ms = 0;
  }

  /**
   * Has the loop look now, and often from then on, where its wait has grown long when work is told of. Under load that is
   * never: the wait is short then.
   * @returns ends it
   */
  endWith(wake: Wake, loop: { wake(): void }): () => void {
    return wake.onNotify(() => {
      if (this.ms < longTimes * this.range.leastMs) return;
      this.reset();
      loop.wake();
    });
  }
}
