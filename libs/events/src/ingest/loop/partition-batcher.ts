import type { SourceMapping, SourceTables } from '#events';
import { UnavailableError } from '#events/formats';
import {
  type BatchResult,
  type BatchToRecord,
  type ChunkRepository,
  describeFailure,
  type PreparedRecord,
  type RecordResult,
  recordBatchMax,
  recordingWhole,
  type SourcePartition,
} from '#intents';
import type { BatchConsumer, BatchLease, FetchedBatch, FetchedRecord, TopicPartition } from '#kafka';
import {
  type CancelTimer,
  type Clock,
  type Logger,
  noTracer,
  type Random,
  SafeError,
  type Span,
  stackOf,
  type Tracer,
  type Wake,
} from '#platform';

import type { IngestMetrics } from '../ingest-metrics.js';
import type { Positions } from '../positions/positions.js';
import {
  type Chunk,
  type IngestEffect,
  type IngestEvent,
  type IngestOutcome,
  type IngestState,
  ingestStep,
  type IngestTimer,
  initialIngestState,
} from './ingest-step.js';
import { MemberOrder } from './member-order.js';
import { type PrepareContext, prepareMapped, prepareOwn, type RoutingPrograms } from './prepare-record.js';

interface PartitionBatcherTools {
  readonly repository: Pick<ChunkRepository, 'record'>;
  readonly positions: Positions;
  /** Asked once per chunk, so that a reload takes effect with the next one. */
  readonly programs: () => RoutingPrograms;
  /** What comes by each topic, by the programs file in force. */
  readonly sources: SourceTables;
  readonly clock: Clock;
  readonly random: Random;
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

/** A fetched batch that is being consumed. */
interface BatchInHand {
  readonly batch: FetchedBatch;
  readonly lease: BatchLease;
  /** As placed when the batch arrived; should the partition be lost meanwhile, its stored offset fences us. */
  readonly source: SourcePartition | null;
  readonly timers: Map<IngestTimer, CancelTimer>;
  readonly finish: (outcome: IngestOutcome) => void;
  state: IngestState;
  /** When anything happened last, on the monotonic clock. */
  movedAt: number;
  /** When a recording ended last, with a commit or a refusal, on the monotonic clock; the beginning at first. */
  answeredAt: number;
}

/** Records of one partition that are about to be recorded. */
interface WaitingChunk {
  readonly chunk: BatchToRecord;
  readonly resolve: (result: BatchResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Consumes fetched batches, several partitions at once: performs what `ingestStep` decides for each, decodes and routes
 * its records chunk by chunk, has them recorded and acknowledges what is durable.
 */
export class PartitionBatcher implements BatchConsumer {
  private readonly inHand = new Set<BatchInHand>();
  /** At most one chunk of each partition that the source passes on at once. */
  private waiting: WaitingChunk[] = [];
  private readonly order: MemberOrder;
  private isStopping = false;

  constructor(private readonly tools: PartitionBatcherTools) {
    this.order = new MemberOrder(tools);
  }

  /** Bounded by how many partitions the source passes on at once: what is not taken stays in Kafka. */
  get batchesInHand(): number {
    return this.inHand.size;
  }

  /** How long the slowest batch in hand has not moved, and no recording of one has ended, in milliseconds; 0 without one. */
  get slowest(): { readonly unmovedMs: number; readonly unansweredMs: number } {
    const now = this.tools.clock.monotonic();
    const batches = [...this.inHand];
    return {
      unmovedMs: Math.max(0, ...batches.map(({ movedAt }) => now - movedAt)),
      unansweredMs: Math.max(0, ...batches.map(({ answeredAt }) => now - answeredAt)),
    };
  }

  /** Resolves when the batch needs no more work; what is not durable then has not been acknowledged. Never rejects. */
  async consume(batch: FetchedBatch, lease: BatchLease): Promise<void> {
    if (this.isStopping) return;
    const { metrics, logger, positions } = this.tools;
    const { promise: finished, resolve: finish } = Promise.withResolvers<IngestOutcome>();
    const taken = this.take({ batch, lease, finish });
    this.inHand.add(taken);
    this.dispatch(taken, { type: 'batch-arrived', arrival: positions.arrived(batch) });
    const outcome = await finished;
    this.inHand.delete(taken);
    if (outcome === 'consumed') metrics.consumerLag(batch, Math.max(0, batch.highWatermark - batch.nextOffset));
    else logger.info({ topic: batch.topic, partition: batch.partition, outcome }, 'batch left unfinished');
  }

  /** Partitions were given out anew. */
  reassigned(): void {
    this.order.reassigned();
  }

  /** Ends every batch after the transaction that it has open, if any; later batches are refused. */
  stop(): void {
    this.isStopping = true;
    for (const taken of this.inHand) this.dispatch(taken, { type: 'stop-requested' });
  }

  private take(delivery: Pick<BatchInHand, 'batch' | 'lease' | 'finish'>): BatchInHand {
    const { fetchedFrom, nextOffset, records } = delivery.batch;
    const now = this.tools.clock.monotonic();
    const offsets = records.map(({ offset }) => offset);
    return {
      ...delivery,
      source: this.tools.positions.sourceOf(delivery.batch),
      timers: new Map(),
      state: initialIngestState({ fetchedFrom, nextOffset, offsets, bytes: records.map(sizeOf) }),
      movedAt: now,
      answeredAt: now,
    };
  }

  private dispatch(taken: BatchInHand, event: IngestEvent): void {
    taken.movedAt = this.tools.clock.monotonic();
    if (event.type === 'chunk-recorded' || event.type === 'recording-failed') taken.answeredAt = taken.movedAt;
    const { state, effects } = ingestStep(taken.state, event);
    taken.state = state;
    for (const effect of effects) this.perform(taken, effect);
  }

  private perform(taken: BatchInHand, effect: IngestEffect): void {
    const { positions, metrics } = this.tools;
    const { batch, lease, source } = taken;
    switch (effect.type) {
      case 'record-chunk':
        if (source !== null) void this.recordChunk(taken, source, effect.chunk);
        return;
      case 'acknowledge':
        positions.progressed(batch, effect.nextOffset, effect.storedOffset);
        lease.acknowledge(effect.nextOffset);
        return;
      case 'drop-consumed':
        metrics.eventsIngested(batch.topic, 'already-consumed', effect.count);
        return;
      case 'heartbeat':
        void this.heartbeat(taken);
        return;
      case 'start-timer':
        this.startTimer(taken, effect.timer, effect.delayMs);
        return;
      case 'reposition':
        positions.reposition(batch, effect.fetchedFrom);
        return;
      case 'defer':
        positions.defer(batch, effect);
        return;
      case 'finish':
        for (const cancel of taken.timers.values()) cancel();
        taken.finish(effect.outcome);
        return;
      default:
        effect satisfies never;
    }
  }

  private async heartbeat(taken: BatchInHand): Promise<void> {
    try {
      await taken.lease.heartbeat();
      this.dispatch(taken, { type: 'heartbeat-done' });
    } catch {
      this.dispatch(taken, { type: 'heartbeat-failed' });
    }
  }

  private startTimer(taken: BatchInHand, timer: IngestTimer, delayMs: number): void {
    const cancel = this.tools.clock.after(delayMs, () => {
      taken.timers.delete(timer);
      this.dispatch(taken, { type: 'timer-fired', timer });
    });
    taken.timers.set(timer, cancel);
  }

  private async recordChunk(taken: BatchInHand, source: SourcePartition, chunk: Chunk): Promise<void> {
    try {
      const storedOffset = await this.prepareAndRecord(taken.batch, source, chunk);
      this.dispatch(taken, { type: 'chunk-recorded', storedOffset });
    } catch (error) {
      // A consumer of the topics of now takes its place.
      if (error instanceof TopicLeftError) {
        await this.leave(taken, error);
        return;
      }
      const chance = this.tools.random.unit();
      if (error instanceof UnavailableError) {
        this.dispatch(taken, { type: 'recording-failed', cause: 'unreadable-yet', failure: error.message, chance });
        return;
      }
      const { cause, failure } = describeFailure(error);
      const { topic, partition } = source;
      const fields = { topic, partition, from: chunk.from, to: chunk.to, cause, failure, stack: stackOf(error) };
      this.tools.logger[cause === 'content' ? 'error' : 'warn'](fields, 'a chunk could not be recorded');
      this.dispatch(taken, { type: 'recording-failed', cause, failure, chance });
    }
  }

  private async leave(taken: BatchInHand, { name: failure }: TopicLeftError): Promise<void> {
    await this.tools.clock.sleep(topicLeftMs);
    this.dispatch(taken, { type: 'stop-requested' });
    this.dispatch(taken, { type: 'recording-failed', cause: 'unavailable', failure, chance: 0 });
  }

  /** @returns the partition's stored offset after the commit @throws as `record` */
  private async prepareAndRecord(batch: FetchedBatch, source: SourcePartition, chunk: Chunk): Promise<number> {
    const { programs, sources, clock } = this.tools;
    const { file, hash: programsHash } = programs();
    const now = clock.now();
    const from = sources.of(file).sourceOf(batch.topic);
    if (from === null) throw new TopicLeftError(batch.topic);
    const context = { source: batch, authority: from.authority, programs: file, now };
    const { records, nextOffset } =
      from.mapping === null
        ? prepareChunk(batch, chunk, context)
        : await this.prepareMappedChunk(batch, chunk, { ...context, mapping: from.mapping });
    const range = { source, fromOffset: chunk.fromOffset, nextOffset, now, programsHash };
    return recordingWhole(records, (whole) => this.recordTraced(range, whole));
  }

  /** @throws {UnavailableError} while what is needed to read the first one is away */
  private async prepareMappedChunk(
    batch: FetchedBatch,
    chunk: Chunk,
    { mapping, ...context }: PrepareContext & { readonly mapping: SourceMapping },
  ): Promise<ChunkEvents> {
    const events = new ChunkEvents(chunk);
    for (const record of batch.records.slice(chunk.from, chunk.to)) {
      try {
        if (!events.add(record, await this.inTime(prepareMapped(record, mapping, context)))) break;
      } catch (error) {
        if (error instanceof UnavailableError && events.endBefore(record)) break;
        throw error;
      }
    }
    return events;
  }

  /**
   * What a record is read by is asked for without end, but not waited for here: partitions of the same broker are fetched when this
   * one is done. The answer is kept where it was asked for. @throws {UnavailableError}
   */
  private inTime<Result>(work: Promise<Result>): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = this.tools.clock.after(readingMsMax, () => {
      reject(new UnavailableError('what its records are read by has not answered yet'));
    });
    return Promise.race([work, late]).finally(cancel);
  }

  /** @returns the partition's stored offset after the commit */
  private async recordTraced(
    range: Omit<BatchToRecord, 'records' | 'hasDeadLetters'>,
    records: readonly PreparedRecord[],
  ): Promise<number> {
    const { clock, hasDeadLetters, tracer = noTracer } = this.tools;
    const { source, now } = range;
    const traced = traceChunk(tracer, { source, records, at: now });
    const result = await this.record({ ...range, records: traced.records, hasDeadLetters });
    traced.recorded(result.results, clock.now());
    this.report(source.topic, result);
    this.order.recorded({ source, records, results: result.results });
    return result.nextOffset;
  }

  private report(topic: string, { results, isUnderWay }: BatchResult): void {
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
    if (results.some(({ kind }) => kind === 'recorded')) wake.notify(isUnderWay !== true);
    if (quarantined.length > 0) onQuarantined();
  }

  /**
   * Records what comes in the same turn in one transaction, as far as it is small enough: a fetch brings a batch of each
   * partition, and where each holds an event or two, the transaction costs more than they do. What is refused together is
   * recorded one by one, so that no partition has to answer for another.
   * @throws as `ChunkRepository.record`
   */
  record(chunk: BatchToRecord): Promise<BatchResult> {
    const { promise, resolve, reject } = Promise.withResolvers<BatchResult>();
    this.waiting.push({ chunk, resolve, reject });
    if (this.waiting.length === 1) this.tools.clock.soon(() => this.recordWaiting());
    return promise;
  }

  private recordWaiting(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const group of groupsOf(waiting)) void this.recordGroup(group);
  }

  private async recordGroup(group: readonly WaitingChunk[]): Promise<void> {
    const parts = group.map(({ chunk }) => chunk);
    const [first] = parts;
    if (first === undefined) return;
    const now = Math.max(...parts.map((chunk) => chunk.now));
    try {
      const results = await this.tools.repository.record({ ...first, parts, now });
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (error) {
      const isAnswer = group.length === 1 || describeFailure(error).cause === 'unavailable';
      if (isAnswer) for (const { reject } of group) reject(error);
      else await Promise.all(group.map((each) => this.recordGroup([each])));
    }
  }
}

/** What it holds, in bytes. */
export function sizeOf({ key, value, undecoded }: FetchedRecord): number {
  return (key?.length ?? 0) + (value?.length ?? 0) + (undecoded?.bytes.length ?? 0);
}

/** What records are read by may take so long to answer while a batch is in hand. What is computed meanwhile does not count. */
const readingMsMax = 500;
/** How long a batch of a topic that is no source's any more is held, before it is left to the consumer of the topics of now. */
const topicLeftMs = 1_000;

/** The programs file in force reads the topic no more. */
class TopicLeftError extends SafeError {
  override readonly name = 'TopicLeftError';
}

/** What is recorded of a chunk: the events of as many records as one transaction takes; of the first record all in any case. */
class ChunkEvents {
  readonly records: PreparedRecord[] = [];
  nextOffset: number;
  private readonly poison: string | null;

  constructor({ nextOffset, poison }: Chunk) {
    this.nextOffset = nextOffset;
    this.poison = poison;
  }

  /** @returns false: the record is left for the next transaction */
  add(record: FetchedRecord, events: readonly PreparedRecord[]): boolean {
    const prepared = this.poison === null ? events : asPoison(events.slice(0, 1), this.poison);
    if (this.records.length > 0 && this.records.length + prepared.length > recordBatchMax) {
      this.nextOffset = record.undecoded?.firstOffset ?? record.offset;
      return false;
    }
    this.records.push(...prepared);
    return true;
  }

  /** The record cannot be read yet. @returns false: there is nothing to record before it */
  endBefore(record: FetchedRecord): boolean {
    this.nextOffset = record.offset;
    return this.records.length > 0;
  }
}

function prepareChunk(batch: FetchedBatch, chunk: Chunk, context: PrepareContext): ChunkEvents {
  const events = new ChunkEvents(chunk);
  for (const record of batch.records.slice(chunk.from, chunk.to)) {
    if (!events.add(record, prepareOwn(record, context))) break;
  }
  return events;
}

function asPoison(prepared: readonly PreparedRecord[], poison: string): PreparedRecord[] {
  const verdict = { kind: 'quarantine', reason: 'invalid', detail: poison } as const;
  return prepared.map(({ event: _event, ...record }) => ({ ...record, verdict }));
}

/** In their order, as many in each as one transaction takes; only what the same programs file routed goes together. */
function groupsOf(waiting: readonly WaitingChunk[]): WaitingChunk[][] {
  const groups: WaitingChunk[][] = [];
  let records = 0;
  for (const each of waiting) {
    const last = groups.at(-1);
    records += each.chunk.records.length;
    if (last?.[0]?.chunk.programsHash === each.chunk.programsHash && records <= recordBatchMax) last.push(each);
    else {
      groups.push([each]);
      records = each.chunk.records.length;
    }
  }
  return groups;
}

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
