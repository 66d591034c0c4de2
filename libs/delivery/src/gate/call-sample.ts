/** One call of the partner that has ended. */
export interface CallSample {
  readonly operation: string;
  readonly durationMs: number;
  /** When it ended, epoch ms. */
  readonly at: number;
  /** `overload`: refused for too many requests, timed out, unavailable. `silent`: says nothing about the load. */
  readonly signal: 'ok' | 'overload' | 'silent';
  /** Calls under way when it ended, itself included. */
  readonly underWay: number;
}
