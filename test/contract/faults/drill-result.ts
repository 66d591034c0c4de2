import type { CallName } from '../reading/specification.js';

/** What the gateway made of one call under one fault. */
export interface DrillResult {
  /** `error-before (status 503)` */
  readonly drill: string;
  readonly kind: string;
  readonly call: CallName;
  readonly expected: string;
  readonly seen: string;
  /** Empty when it came out as it must, the fault did strike, and as many effects were left as the fault leaves. */
  readonly problems: readonly string[];
}
