import type { Answer } from '../http/answer.js';
import type { Call } from '../http/call.js';
import type { CallOperation } from '../http/operation.js';

/** What a rule may give to its kind. */
export interface FaultSettings {
  readonly ms?: number | undefined;
  readonly status?: number | undefined;
  /** Seconds, an HTTP date, or `date+5`: an HTTP date so many seconds from now (`date-5`: ago). */
  readonly retryAfter?: number | string | undefined;
  /** Where a redirect leads. */
  readonly location?: string | undefined;
  /** Size of an oversized body. */
  readonly bytes?: number | undefined;
  /** Which of the wordings of refusals, or of the bodies of a kind that has several, modulo their number. */
  readonly wording?: number | undefined;
  /** Whether the call takes effect, for kinds that leave it open; absent: the plan's seed decides. */
  readonly applies?: boolean | undefined;
}

/** Carries the call on: to the next fault that is due, at last to the handler. May be called late, or twice. */
export type Next = (call: Call) => Promise<Answer>;

export interface Onward {
  readonly next: Next;
  /** Carries the call on `ms` from now, whatever has been answered; a stop of the sandbox brings it forward. */
  readonly later: (call: Call, ms: number) => void;
  /** The n-th number in [0, 1), from 1, that the plan's seed draws for this strike. */
  readonly chance: (n: number) => number;
  /** A success that shows the pass of a member whom the call does not name; `place` in [0, 1) chooses. */
  readonly showStranger: (call: Call, place: number) => Promise<Answer>;
}

/** One way to misbehave. `fault-kinds.ts` lists them all; they stand in files by where they strike. */
export interface FaultKind {
  readonly kind: string;
  /** Operations it makes sense for; absent: all. */
  readonly operations?: readonly CallOperation[];
  /** It may strike with and without an effect: `applies` says which. */
  readonly choosesEffect?: true;
  /** Settings without which it means nothing. */
  readonly requires?: readonly (keyof FaultSettings)[];
  /** Lowest and highest status that a rule may give it; absent: any. */
  readonly statuses?: readonly [min: number, max: number];
  /** Misbehaves around one call; must say what is answered, and carries the call on if it is to take effect. */
  around(call: Call, settings: FaultSettings, onward: Onward): Promise<Answer>;
}
