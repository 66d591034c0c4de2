import type { Outcome } from '#intents';

/** Where outcomes go. */
export interface OutcomeSink {
  /** Resolves once the broker has all of them, in this order; bounded in time. */
  send(outcomes: readonly Outcome[]): Promise<void>;
  close(): Promise<void>;
}
