import type { CallName } from '../reading/specification.js';

/** One call that was really made, and whether all of its answer was as expected. */
export interface CallMade {
  readonly call: CallName;
  readonly ok: boolean;
}

/** `not-run`: the setup or the dialect lacks something. */
export type RowVerdict = 'passed' | 'failed' | 'not-run';

export interface RowResult {
  readonly id: string;
  readonly client: 'plain' | 'gateway';
  readonly verdict: RowVerdict;
  /** What was wrong, or why it was not run. */
  readonly problems: readonly string[];
  readonly calls: readonly CallMade[];
}
