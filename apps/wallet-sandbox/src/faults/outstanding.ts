import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { StderrLogger } from '../http/stderr-logger.js';

type Work = () => Promise<unknown>;

/** Calls that were answered before they take effect. In memory: SIGKILL forgets them, as a partner in trouble would. */
@Injectable()
export class Outstanding implements OnApplicationShutdown {
  private readonly timers = new Map<NodeJS.Timeout, Work>();
  private readonly running = new Set<Promise<void>>();

  /** Does the work `ms` from now. */
  add(ms: number, work: Work): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.start(work);
    }, ms);
    this.timers.set(timer, work);
  }

  /** Drops what has not begun: the state that it was meant for is gone. */
  clear(): void {
    for (const timer of this.timers.keys()) clearTimeout(timer);
    this.timers.clear();
  }

  /** No caller is left who could wait: what is outstanding happens at once, and the stop waits for it. */
  async onApplicationShutdown(): Promise<void> {
    // A late call may meet a second fault that puts it off again.
    while (this.timers.size + this.running.size > 0) {
      const works = [...this.timers.values()];
      this.clear();
      for (const work of works) this.start(work);
      await Promise.all(this.running);
    }
  }

  private start(work: Work): void {
    const done = work()
      .catch((error: unknown) => StderrLogger.write('error', error))
      .then(() => void this.running.delete(done));
    this.running.add(done);
  }
}
