import type { CancelTimer, Clock } from '#platform';

/** Something done again and again; the next time is counted from when the last one has ended. */
export interface Round {
  readonly everyMs: number;
  /** Must not reject. */
  readonly task: () => Promise<void>;
}

/** Timers that run only while they are wanted. */
export class Rounds {
  /** Null while stopped. */
  private cancels: Map<Round, CancelTimer> | null = null;

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly rounds: readonly Round[],
  ) {}

  /** Harmless while they run. */
  start(): void {
    if (this.cancels !== null) return;
    this.cancels = new Map();
    for (const round of this.rounds) this.wait(round, this.cancels);
  }

  stop(): void {
    for (const cancel of this.cancels?.values() ?? []) cancel();
    this.cancels = null;
  }

  private wait(round: Round, run: Map<Round, CancelTimer>): void {
    const cancel = this.clock.after(round.everyMs, () => {
      void round.task().finally(() => {
        if (this.cancels === run) this.wait(round, run);
      });
    });
    run.set(round, cancel);
  }
}
