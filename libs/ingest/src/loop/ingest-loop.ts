import { describeFailure, type SourcePartition } from '#intents';
import { stackOf, type CancelTimer, type Clock, type Logger, type Random } from '#platform';
import type { IngestMetrics } from '../ingest-metrics.js';
import type { Positions } from '../positions/positions.js';
import type { BatchLease, FetchedBatch, FetchedRecord } from '#kafka';
import type { ChunkRecorder } from './chunk-recorder.js';
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

interface BatchRunTools {
  readonly recorder: ChunkRecorder;
  readonly positions: Positions;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const sizeOf = ({ key, value, undecoded }: FetchedRecord): number =>
  (key?.length ?? 0) + (value?.length ?? 0) + (undecoded?.bytes.length ?? 0);

/** Performs the effects of `ingestStep` for one batch and reports back what happened. */
export class BatchRun {
  private state: IngestState;
  /** As placed when the batch arrived; should the partition be lost meanwhile, its stored offset fences us. */
  private readonly source: SourcePartition | null;
  private readonly timers = new Map<IngestTimer, CancelTimer>();
  private readonly finished = Promise.withResolvers<IngestOutcome>();
  private movedAt: number;
  private answeredAt: number;

  constructor(
    private readonly tools: BatchRunTools,
    private readonly batch: FetchedBatch,
    private readonly lease: BatchLease,
  ) {
    const { fetchedFrom, nextOffset, records } = batch;
    this.movedAt = this.answeredAt = tools.clock.monotonic();
    this.source = tools.positions.sourceOf(batch);
    const offsets = records.map(({ offset }) => offset);
    this.state = initialIngestState({ fetchedFrom, nextOffset, offsets, bytes: records.map(sizeOf) });
  }

  /** Never rejects. */
  run(): Promise<IngestOutcome> {
    this.dispatch({ type: 'batch-arrived', arrival: this.tools.positions.arrived(this.batch) });
    return this.finished.promise;
  }

  /** When anything happened last, on the monotonic clock. */
  get lastMovedAt(): number {
    return this.movedAt;
  }

  /** When a recording ended last, with a commit or a refusal, on the monotonic clock; the beginning at first. */
  get lastAnsweredAt(): number {
    return this.answeredAt;
  }

  stop(): void {
    this.dispatch({ type: 'stop-requested' });
  }

  private dispatch(event: IngestEvent): void {
    this.movedAt = this.tools.clock.monotonic();
    if (event.type === 'chunk-recorded' || event.type === 'recording-failed') this.answeredAt = this.movedAt;
    const { state, effects } = ingestStep(this.state, event);
    this.state = state;
    for (const effect of effects) this.perform(effect);
  }

  private perform(effect: IngestEffect): void {
    const { positions, recorder } = this.tools;
    switch (effect.type) {
      case 'record-chunk':
        if (this.source !== null) void this.record(this.source, effect.chunk);
        return;
      case 'acknowledge':
        positions.progressed(this.batch, effect.nextOffset, effect.storedOffset);
        this.lease.acknowledge(effect.nextOffset);
        return;
      case 'drop-consumed':
        recorder.dropped(this.batch.topic, effect.count);
        return;
      case 'heartbeat':
        void this.heartbeat();
        return;
      case 'start-timer':
        this.startTimer(effect.timer, effect.delayMs);
        return;
      case 'reposition':
        positions.reposition(this.batch, effect.fetchedFrom);
        return;
      case 'finish':
        for (const cancel of this.timers.values()) cancel();
        this.finished.resolve(effect.outcome);
        return;
      default:
        effect satisfies never;
    }
  }

  private async record(source: SourcePartition, chunk: Chunk): Promise<void> {
    try {
      const storedOffset = await this.tools.recorder.record(this.batch, source, chunk);
      this.dispatch({ type: 'chunk-recorded', storedOffset });
    } catch (error) {
      const { cause, failure } = describeFailure(error);
      const { topic, partition } = this.batch;
      const fields = { topic, partition, from: chunk.from, to: chunk.to, cause, failure, stack: stackOf(error) };
      this.tools.logger[cause === 'content' ? 'error' : 'warn'](fields, 'a chunk could not be recorded');
      this.dispatch({ type: 'recording-failed', cause, failure, chance: this.tools.random.unit() });
    }
  }

  private async heartbeat(): Promise<void> {
    try {
      await this.lease.heartbeat();
      this.dispatch({ type: 'heartbeat-done' });
    } catch {
      this.dispatch({ type: 'heartbeat-failed' });
    }
  }

  private startTimer(timer: IngestTimer, delayMs: number): void {
    const cancel = this.tools.clock.after(delayMs, () => {
      this.timers.delete(timer);
      this.dispatch({ type: 'timer-fired', timer });
    });
    this.timers.set(timer, cancel);
  }
}

/** Takes fetched batches through ingest, one run each; several partitions at once. */
export class IngestLoop {
  private readonly runs = new Set<BatchRun>();
  private isStopping = false;

  constructor(
    private readonly tools: BatchRunTools,
    private readonly metrics: IngestMetrics,
  ) {}

  /** Bounded by how many partitions the source hands over at once: what is not taken stays in Kafka. */
  get batchesInHand(): number {
    return this.runs.size;
  }

  /** How long the slowest batch in hand has not moved, and no recording of one has ended, in milliseconds; 0 without one. */
  get slowest(): { readonly unmovedMs: number; readonly unansweredMs: number } {
    const now = this.tools.clock.monotonic();
    const runs = [...this.runs];
    return {
      unmovedMs: Math.max(0, ...runs.map((run) => now - run.lastMovedAt)),
      unansweredMs: Math.max(0, ...runs.map((run) => now - run.lastAnsweredAt)),
    };
  }

  /** Resolves when the batch needs no more work; what is not durable then has not been acknowledged. Never rejects. */
  async consume(batch: FetchedBatch, lease: BatchLease): Promise<void> {
    if (this.isStopping) return;
    const run = new BatchRun(this.tools, batch, lease);
    this.runs.add(run);
    const outcome = await run.run();
    this.runs.delete(run);
    if (outcome === 'consumed') this.metrics.consumerLag(batch, Math.max(0, batch.highWatermark - batch.nextOffset));
    else this.tools.logger.info({ topic: batch.topic, partition: batch.partition, outcome }, 'batch left unfinished');
  }

  /** Partitions were given out anew. */
  reassigned(): void {
    this.tools.recorder.reassigned();
  }

  /** Ends every run after the transaction that it has open, if any; later batches are refused. */
  stop(): void {
    this.isStopping = true;
    for (const run of this.runs) run.stop();
  }
}
