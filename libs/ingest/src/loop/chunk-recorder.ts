import { type ProgramsFile } from '#contracts';
import { headersOf } from '#events/core';
import {
  type BatchResult,
  type IngestKeys,
  type PreparedRecord,
  type RecordResult,
  type RouteRecord,
  type SourcePartition,
} from '#intents';
import { noTracer, type Clock, type Database, type Logger, type Span, type Tracer, type Wake } from '#platform';
import type { IngestMetrics } from '../ingest-metrics.js';
import type { FetchedBatch, TopicPartition } from '#kafka';
import type { Chunk } from './ingest-step.js';
import { MemberPartitions } from './member-partitions.js';
import { prepareRecord } from './prepare-record.js';
import { RecordKeys } from './record-keys.js';
import { TogetherRecorder } from './record-together.js';

/** A chunk's records with the traces that their intents go on from. */
interface TracedChunk {
  readonly records: readonly PreparedRecord[];
  /** They are recorded: one result for each. */
  recorded(results: readonly RecordResult[], at: number): void;
}

interface ChunkToTrace {
  readonly source: TopicPartition;
  readonly records: readonly PreparedRecord[];
  readonly at: number;
}

/**
 * One span (kind consumer) for each record that becomes intents, as many as a chunk has records at most: it goes on
 * from the record's own trace, or begins one, and its deliveries go on from it. A chunk that cannot be recorded ends no
 * span: its repetition does.
 */
export function traceChunk(tracer: Tracer, { source, records, at }: ChunkToTrace): TracedChunk {
  if (!tracer.isOn) return { records, recorded: () => undefined };
  const spans = records.map((record) => beginSpan(tracer, record, { source, at }));
  return {
    records: records.map((record, index) => goingOnFrom(record, spans[index] ?? null)),
    recorded: (results, endedAt) => {
      for (const [index, result] of results.entries()) endSpan(spans[index] ?? null, result, endedAt);
    },
  };
}

function beginSpan(
  tracer: Tracer,
  { verdict, original }: PreparedRecord,
  { source, at }: Pick<ChunkToTrace, 'source' | 'at'>,
): Span | null {
  if (verdict.kind !== 'routed') return null;
  return tracer.begin({
    name: `process ${source.topic}`,
    kind: 'consumer',
    parent: verdict.traceparent ?? null,
    attributes: {
      'messaging.system': 'kafka',
      'messaging.operation.type': 'process',
      'messaging.destination.name': source.topic,
      'messaging.destination.partition.id': String(source.partition),
      'messaging.kafka.offset': original.offset,
      'loyaltyd.event_type': verdict.eventType,
      'loyaltyd.since_broker_ms': Math.max(0, at - original.brokerAt),
    },
    at,
  });
}

function goingOnFrom(record: PreparedRecord, span: Span | null): PreparedRecord {
  if (span === null || record.verdict.kind !== 'routed') return record;
  return { ...record, verdict: { ...record.verdict, traceparent: span.traceparent } };
}

function endSpan(span: Span | null, result: RecordResult, at: number): void {
  const told = result.kind === 'recorded' ? 'recorded' : result.reason;
  span?.end(at, { attributes: { 'loyaltyd.result': told }, isError: result.kind === 'quarantined' });
}

/** The programs file in force and the 16 bytes that name it; read once per chunk, so that a reload takes effect. */
export interface RoutingPrograms {
  readonly file: ProgramsFile;
  readonly hash: Uint8Array;
}

interface ChunkRecorderTools {
  readonly database: Database;
  readonly keys: IngestKeys;
  readonly programs: () => RoutingPrograms;
  readonly clock: Clock;
  readonly wake: Wake;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer;
  /** Whether dead letters are published. */
  readonly hasDeadLetters: boolean;
  /** Called when records went to quarantine, so that their dead letters need not wait for the next poll. */
  readonly onQuarantined: () => void;
}

function isQuarantined(result: RecordResult): boolean {
  return result.kind === 'quarantined';
}

/** Decodes, routes and records one chunk of a batch, and reports the results to metrics, wake and dead letters. */
export class ChunkRecorder {
  private readonly recordKeys: RecordKeys;
  private readonly memberPartitions: MemberPartitions;
  private readonly recorder: TogetherRecorder;

  constructor(private readonly tools: ChunkRecorderTools) {
    this.recordKeys = new RecordKeys(tools);
    this.memberPartitions = new MemberPartitions(tools);
    this.recorder = new TogetherRecorder(tools);
  }

  /**
   * @returns where the partition stands after the commit
   * @throws {DatabaseError} when nothing is known to be recorded
   */
  async record(batch: FetchedBatch, source: SourcePartition, chunk: Chunk): Promise<number> {
    const { programs, clock, hasDeadLetters, tracer = noTracer } = this.tools;
    const { file, hash } = programs();
    const now = clock.now();
    const records = this.prepare(batch, chunk, { programs: file, now });
    const traced = traceChunk(tracer, { source, records, at: now });
    const result = await this.recorder.record({
      source,
      records: traced.records,
      fromOffset: chunk.fromOffset,
      nextOffset: chunk.nextOffset,
      now,
      programsHash: hash,
      hasDeadLetters,
    });
    traced.recorded(result.results, clock.now());
    this.report(source.topic, result);
    this.recordKeys.recorded({ topic: source.topic, records, results: result.results });
    this.memberPartitions.recorded({ source, records, results: result.results });
    return result.nextOffset;
  }

  /** Partitions were given out anew. */
  reassigned(): void {
    this.memberPartitions.forget();
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
    const context = { source: batch, ...by };
    const prepared = batch.records.slice(chunk.from, chunk.to).map((record) => prepareRecord(record, context));
    if (chunk.poison === null) return prepared;
    const verdict = { kind: 'quarantine', reason: 'invalid', detail: chunk.poison } as const;
    return prepared.map((record) => ({ ...record, verdict }));
  }

  private report(topic: string, { results }: BatchResult): void {
    const { metrics, wake, onQuarantined } = this.tools;
    const labels = results.map((result) => (result.kind === 'ignored' ? result.reason : result.kind));
    for (const [label, group] of Map.groupBy(labels, (label) => label)) {
      metrics.eventsIngested(topic, label, group.length);
    }
    const quarantined = results.flatMap((result) => (result.kind === 'quarantined' ? [result.reason] : []));
    for (const [reason, group] of Map.groupBy(quarantined, (reason) => reason)) {
      metrics.quarantined(reason, group.length);
    }
    // A void or a correction moves a lane without an intent of its own.
    if (results.some(({ kind }) => kind === 'recorded')) wake.notify();
    if (results.some(isQuarantined)) onQuarantined();
  }
}

/** Decodes and routes one quarantined record as if it arrived now, by the programs file in force. */
export function recordRouter(programs: () => RoutingPrograms): RouteRecord {
  return ({ source, original, now, receivedAt }) => {
    const { file, hash } = programs();
    const { headersText, ...record } = original;
    const context = { source, programs: file, now, receivedAt };
    const prepared = prepareRecord({ ...record, headers: headersOf(headersText) }, context);
    return { record: { ...prepared, original }, programsHash: hash };
  };
}
