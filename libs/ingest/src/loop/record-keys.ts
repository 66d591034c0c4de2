import type { PreparedRecord, RecordResult } from '#intents';
import type { Clock, Logger } from '#platform';

import type { IngestMetrics } from '../ingest-metrics.js';

/** Sources remembered at once; further ones are only counted by the metric. */
export const warnedSourcesMax = 1_000;
/** At most one warning per source in this time. */
export const warnIntervalMs = 3_600_000;

/** How a record is keyed that is not keyed by its member. */
type OddKey = 'other' | 'none';
type KeyCounts = Record<OddKey, number>;

interface RecordKeysTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

/** What was recorded of one chunk. */
interface RecordedChunk {
  readonly topic: string;
  readonly records: readonly PreparedRecord[];
  /** One for each record. */
  readonly results: readonly RecordResult[];
}

type Routed = Extract<PreparedRecord['verdict'], { kind: 'routed' }>;

function oddKeyOf(key: Uint8Array | null, { intents, cancels }: Routed): OddKey | null {
  if (key === null) return 'none';
  const member = intents[0] ?? cancels[0];
  return member === undefined || Buffer.from(member.memberId).equals(key) ? null : 'other';
}

/**
 * Counts what is recorded although its key is not its member's id: Kafka then keeps no order within the member
 * (contracts.md section 1). Only what is recorded counts: what is ignored has no order.
 */
export class RecordKeys {
  /** By source: when it was last logged, and the counts since. The source logged longest ago comes first. */
  private readonly warned = new Map<string, KeyCounts & { readonly at: number }>();

  constructor(private readonly tools: RecordKeysTools) {}

  recorded(chunk: RecordedChunk): void {
    const { topic } = chunk;
    const counts = { other: 0, none: 0 };
    for (const [source, { other, none }] of bySource(chunk)) {
      counts.other += other;
      counts.none += none;
      this.note({ topic, source, other, none });
    }
    if (counts.other > 0) this.tools.metrics.recordKeys(topic, 'other', counts.other);
    if (counts.none > 0) this.tools.metrics.recordKeys(topic, 'none', counts.none);
  }

  private note({ topic, source, other, none }: KeyCounts & { readonly topic: string; readonly source: string }): void {
    const { clock, logger } = this.tools;
    const now = clock.monotonic();
    const known = this.warned.get(source) ?? { at: Number.NEGATIVE_INFINITY, other: 0, none: 0 };
    known.other += other;
    known.none += none;
    if (now - known.at < warnIntervalMs) return;
    this.warned.delete(source);
    if (!this.hasRoom(now)) return;
    this.warned.set(source, { at: now, other: 0, none: 0 });
    logger.warn(
      { topic, source, other: known.other, none: known.none },
      'records of a source are not keyed by their member: their order is not kept',
    );
  }

  private hasRoom(now: number): boolean {
    const [oldest] = this.warned;
    if (oldest === undefined || this.warned.size < warnedSourcesMax) return true;
    const [source, { at }] = oldest;
    return now - at >= warnIntervalMs && this.warned.delete(source);
  }
}

function bySource({ records, results }: RecordedChunk): Map<string, KeyCounts> {
  const found = new Map<string, KeyCounts>();
  for (const [index, { original, verdict }] of records.entries()) {
    if (verdict.kind !== 'routed' || results[index]?.kind !== 'recorded') continue;
    const key = oddKeyOf(original.key, verdict);
    if (key === null) continue;
    const counts = found.get(verdict.eventSource) ?? { other: 0, none: 0 };
    counts[key] += 1;
    found.set(verdict.eventSource, counts);
  }
  return found;
}
