import type { PassContent } from '../contract/wallet-pass.js';
import type { PassCondition } from '../passes/pass-condition.js';

/** An accepted schedule: what happens, to which passes of a program, and when. */
export interface Schedule {
  readonly scheduleId: number;
  readonly brandId: string;
  readonly programId: string;
  readonly name: string | null;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  readonly conditions: readonly PassCondition[];
  readonly change: PassContent;
  /** Of the request that asked for it. */
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly arrivedAt: number;
}

/** A schedule on its way: passes after the one and up to the other are still to be looked at, in order of pass id. */
export interface UnfinishedSchedule extends Schedule {
  readonly afterPassId: number;
  /** The newest pass when it began; null before. Passes issued later are not its business. */
  readonly untilPassId: number | null;
}
