import type { Mode } from './encode-event.js';

/** The words of `loyaltyd trigger`. */
export interface TriggerOptions {
  /** As written. */
  readonly type: string;
  /** `null`: as `KAFKA_BROKERS` says. */
  readonly brokers: string | null;
  readonly program: string | null;
  readonly member: string | null;
  /** Each `path=value`. */
  readonly settings: readonly string[];
  readonly count: number;
  readonly eventsPerSecond: number;
  readonly mode: Mode;
  /** `null`: the topic of the event's type. */
  readonly topic: string | null;
  /** Print, send nothing. */
  readonly dryRun: boolean;
  /** Send what the daemon would refuse. */
  readonly invalid: boolean;
  /** Send to brokers of other machines. */
  readonly yes: boolean;
}

/** How many events one run sends. */
export const eventsMax = 10_000;
export const eventsPerSecondDefault = 100;
/** Each is acknowledged before the next is sent, so that their order holds and each is told where it lies. */
export const eventsPerSecondMax = 1_000;
