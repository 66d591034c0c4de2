import type { RunHistory } from './run-history.js';
import type { LaneHistory } from './lane-history.js';

/**
 * Everything that is known of a run, as plain data: what went in, what the truth tables, the lanes and the partner's own
 * ledger say at the end, and what was seen meanwhile. Times are epoch milliseconds, virtual or real.
 */
export interface History {
  readonly run: RunHistory;
  /** Each lane once, in any order. Looked at one by one, so that a reader may load them as they are asked for. */
  readonly lanes: Iterable<LaneHistory>;
}
