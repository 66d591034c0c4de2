import { setTimeout as delay } from 'node:timers/promises';

const everyMs = 1_000;

/** Does something every second until it is stopped. What fails is left out: the next second comes. */
export class EverySecond {
  private readonly stopping = new AbortController();
  private readonly work: Promise<void>;
  /** Looks that failed. */
  failures = 0;

  constructor(private readonly look: () => Promise<void>) {
    this.work = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let next = performance.now(); !signal.aborted; next = Math.max(next + everyMs, performance.now())) {
      await delay(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => undefined);
      await this.look().catch(() => {
        this.failures += 1;
      });
    }
  }
}
