import type { PreparedRecord, RecordResult } from '#intents';
import type { TopicPartition } from '#kafka';
import type { Span, Tracer } from '#platform';

/** A chunk's records with the traces that their intents continue. */
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
 * One span (kind consumer) for each record that becomes intents, as many as a chunk has records at most: it continues
 * the record's own trace, or begins one, and its deliveries continue it. A chunk that cannot be recorded ends no span: its
 * repetition does.
 */
export function traceChunk(tracer: Tracer, { source, records, at }: ChunkToTrace): TracedChunk {
  if (!tracer.isOn) return { records, recorded: () => undefined };
  const spans = records.map((record) => beginSpan(tracer, record, { source, at }));
  return {
    records: records.map((record, index) => continuedFrom(record, spans[index] ?? null)),
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

function continuedFrom(record: PreparedRecord, span: Span | null): PreparedRecord {
  if (span === null || record.verdict.kind !== 'routed') return record;
  return { ...record, verdict: { ...record.verdict, traceparent: span.traceparent } };
}

function endSpan(span: Span | null, result: RecordResult, at: number): void {
  const label = result.kind === 'recorded' ? 'recorded' : result.reason;
  span?.end(at, { attributes: { 'loyaltyd.result': label }, isError: result.kind === 'quarantined' });
}
