import type { IngestLoop } from './loop/ingest-loop.js';
import type { Positions } from './positions/positions.js';
import type { Source } from './source/source.js';

/** The source fetches, beats or builds a new consumer far more often, whether its broker is there or not. */
export const sourceSilentMsMax = 300_000;
/** A chunk ends or fails within its statements' timeouts; a look for a place within its requests'. */
export const unmovedMsMax = 180_000;
/** A recording is neither committed nor refused by a database that answers others: its statements end far sooner. */
export const unansweredMsMax = 300_000;

export interface StallQuestion {
  /** Monotonic. */
  readonly now: number;
  /** Whether the database answers others. */
  readonly isDatabaseThere: boolean;
}

/**
 * What of ingest stands still although it could move: only a new process would help. Neither a broker that is away nor
 * a rebalance, a gap, a database that does not answer or one that refuses to write is a stall: everything goes on by
 * itself afterwards.
 */
export function ingestStalls(
  parts: { readonly source: Source; readonly loop: IngestLoop; readonly positions: Positions },
  { now, isDatabaseThere }: StallQuestion,
): string[] {
  const { unmovedMs, unansweredMs } = parts.loop.slowest;
  const stalls: [boolean, string][] = [
    [now - parts.source.lastProgressAt() > sourceSilentMsMax, 'ingest: the Kafka consumer gives no sign of life'],
    [unmovedMs > unmovedMsMax, 'ingest: a batch in hand does not move'],
    [isDatabaseThere && unansweredMs > unansweredMsMax, 'ingest: the recording of a batch in hand does not end'],
    [parts.positions.unmovedMs > unmovedMsMax, 'ingest: partitions in hand are not placed'],
  ];
  return stalls.flatMap(([isStall, problem]) => (isStall ? [problem] : []));
}
