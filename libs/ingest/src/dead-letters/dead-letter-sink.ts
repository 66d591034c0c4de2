import type { DeadLetter } from '#intents';

/** Where dead letters go: the outgoing counterpart of `Source`. */
export interface DeadLetterSink {
  /** Resolves once the broker has all of them; bounded in time. */
  send(letters: readonly DeadLetter[]): Promise<void>;
  close(): Promise<void>;
}
