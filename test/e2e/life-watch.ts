import { setTimeout as delay } from 'node:timers/promises';

import type { RunningProcess } from '#test-support';

const sampleMs = 100;

/** Asks a daemon again and again whether it is alive, as long as somebody wants to know. */
export class LifeWatch {
  private readonly refused: number[] = [];
  private isOver = false;
  private readonly watching: Promise<void>;

  constructor(private readonly daemon: RunningProcess) {
    this.watching = this.watch();
  }

  /** @returns the statuses of all answers that did not say so */
  async end(): Promise<readonly number[]> {
    this.isOver = true;
    await this.watching;
    return this.refused;
  }

  private async watch(): Promise<void> {
    const { operations } = this.daemon.ready as unknown as { readonly operations: string };
    while (!this.isOver) {
      const [{ status }] = await Promise.all([fetch(`${operations}/health/live`), delay(sampleMs)]);
      if (status !== 200) this.refused.push(status);
    }
  }
}
