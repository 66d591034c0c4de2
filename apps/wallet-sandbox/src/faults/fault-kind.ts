import type { Answer } from '../http/answer.js';
import type { Call } from '../http/call.js';
import type { CallOperation } from '../http/operation.js';

/** The numbers a rule may give to its kind. */
export interface FaultSettings {
  readonly ms?: number | undefined;
  readonly status?: number | undefined;
  /** Seconds or an HTTP date, as the header will say it. */
  readonly retryAfter?: number | string | undefined;
}

/** Carries the call on: to the next fault that is due, at last to the handler. May be called later, or twice. */
export type Next = (call: Call) => Promise<Answer>;

/** One way to misbehave. One file each in `kinds`. */
export interface FaultKind {
  readonly kind: string;
  /** Operations it makes sense for; absent: all. */
  readonly operations?: readonly CallOperation[];
  /** Settings without which it means nothing. */
  readonly requires?: readonly (keyof FaultSettings)[];
  /** Misbehaves around one call; must say what is answered, and calls `next` if the call is to take effect. */
  around(call: Call, settings: FaultSettings, next: Next): Promise<Answer>;
}
