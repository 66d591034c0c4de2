import type { IngestMetrics } from '../ingest-metrics.js';
import type { BatchLease, FetchedBatch } from '../source/source.js';
import type { BatchRunTools } from './batch-run.js';
import { BatchRun } from './batch-run.js';

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

  /** Ends every run after the transaction that it has open, if any; later batches are refused. */
  stop(): void {
    this.isStopping = true;
    for (const run of this.runs) run.stop();
  }
}
