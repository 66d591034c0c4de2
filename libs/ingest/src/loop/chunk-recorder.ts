import type { ProgramsFile } from '#contracts';
import type { BatchResult, IngestKeys, PreparedRecord, RecordResult, SourcePartition } from '#intents';
import { recordBatch } from '#intents';
import type { Clock, Database, Logger, Tracer, Wake } from '#platform';
import { noTracer } from '#platform';

import type { IngestMetrics } from '../ingest-metrics.js';
import type { Cell } from '../prepare/cell.js';
import { isOfOtherCell, prepareRecord } from '../prepare/prepare-record.js';
import type { FetchedBatch } from '../source/source.js';
import type { Chunk } from '../step/ingest-state.js';
import { traceChunk } from './chunk-spans.js';
import { RecordKeys } from './record-keys.js';

/** The programs file in force and the 16 bytes that name it; read once per chunk, so that a reload takes effect. */
export interface RoutingPrograms {
  readonly file: ProgramsFile;
  readonly hash: Uint8Array;
}

export interface ChunkRecorderTools {
  readonly database: Database;
  readonly keys: IngestKeys;
  readonly programs: () => RoutingPrograms;
  readonly cell: Cell;
  readonly clock: Clock;
  readonly wake: Wake;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer;
  /** Whether dead letters are published. */
  readonly hasDeadLetters: boolean;
  /** Told when records went to quarantine, so that their dead letters need not wait for the next look. */
  readonly onQuarantined: () => void;
}

function isQuarantined(result: RecordResult): boolean {
  return result.kind === 'quarantined';
}

/** Decodes, routes and records one chunk of a batch, and tells the rest of the process what came of it. */
export class ChunkRecorder {
  private readonly recordKeys: RecordKeys;

  constructor(private readonly tools: ChunkRecorderTools) {
    this.recordKeys = new RecordKeys(tools);
  }

  /**
   * @returns where the partition stands after the commit
   * @throws {DatabaseError} when nothing is known to be recorded
   */
  async record(batch: FetchedBatch, source: SourcePartition, chunk: Chunk): Promise<number> {
    const { database, keys, programs, clock, hasDeadLetters, tracer = noTracer } = this.tools;
    const { file, hash } = programs();
    const now = clock.now();
    const records = this.prepare(batch, chunk, { programs: file, now });
    const traced = traceChunk(tracer, { source, records, at: now });
    const result = await recordBatch(
      database,
      {
        source,
        records: traced.records,
        fromOffset: chunk.fromOffset,
        nextOffset: chunk.nextOffset,
        now,
        programsHash: hash,
        hasDeadLetters,
      },
      keys,
    );
    traced.recorded(result.results, clock.now());
    this.report(source.topic, result);
    this.recordKeys.recorded({ topic: source.topic, records, results: result.results });
    return result.nextOffset;
  }

  /** Records that were consumed before and never came to the database. */
  dropped(topic: string, count: number): void {
    this.tools.metrics.eventsIngested(topic, 'already-consumed', count);
  }

  private prepare(
    batch: FetchedBatch,
    chunk: Chunk,
    by: { readonly programs: ProgramsFile; readonly now: number },
  ): PreparedRecord[] {
    const context = { source: batch, cell: this.tools.cell, ...by };
    const prepared = batch.records.slice(chunk.from, chunk.to).map((record) => prepareRecord(record, context));
    if (chunk.poison === null) return prepared;
    const verdict = { kind: 'quarantine', reason: 'invalid', detail: chunk.poison } as const;
    // Another cell sets its own records aside.
    return prepared.map((record) => (isOfOtherCell(record.verdict) ? record : { ...record, verdict }));
  }

  private report(topic: string, { results, intents }: BatchResult): void {
    const { metrics, wake, onQuarantined } = this.tools;
    const labels = results.map((result) => (result.kind === 'ignored' ? result.reason : result.kind));
    for (const [label, group] of Map.groupBy(labels, (label) => label)) {
      metrics.eventsIngested(topic, label, group.length);
    }
    const quarantined = results.flatMap((result) => (result.kind === 'quarantined' ? [result.reason] : []));
    for (const [reason, group] of Map.groupBy(quarantined, (reason) => reason)) {
      metrics.quarantined(reason, group.length);
    }
    if (intents > 0) wake.notify();
    if (results.some(isQuarantined)) onQuarantined();
  }
}
