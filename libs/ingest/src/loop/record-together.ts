import type { BatchResult, BatchToRecord, IngestKeys } from '#intents';
import { ChunkRepository, describeFailure, recordBatchMax } from '#intents';
import type { Clock, Database } from '#platform';

interface WaitingBatch {
  readonly batch: BatchToRecord;
  readonly resolve: (result: BatchResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Records what comes in the same turn in one transaction, as far as it is small enough: a fetch brings a batch of each
 * partition, and where each holds an event or two, the transaction costs more than they do. What is refused together is
 * recorded one by one, so that no partition has to answer for another.
 */
export class TogetherRecorder {
  /** At most one batch of each partition that the source hands over at once. */
  private waiting: WaitingBatch[] = [];

  constructor(
    private readonly tools: { readonly database: Database; readonly keys: IngestKeys; readonly clock: Clock },
  ) {}

  /** @throws as `recordBatch` */
  record(batch: BatchToRecord): Promise<BatchResult> {
    const { promise, resolve, reject } = Promise.withResolvers<BatchResult>();
    this.waiting.push({ batch, resolve, reject });
    if (this.waiting.length === 1) this.tools.clock.soon(() => this.recordWaiting());
    return promise;
  }

  private recordWaiting(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const group of groupsOf(waiting)) void this.recordGroup(group);
  }

  private async recordGroup(group: readonly WaitingBatch[]): Promise<void> {
    const { database, keys } = this.tools;
    const [first] = group;
    if (first === undefined) return;
    const parts = group.map(({ batch }) => batch);
    const now = Math.max(...parts.map((batch) => batch.now));
    try {
      const results = await new ChunkRepository(database, keys).record({ ...first.batch, parts, now });
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (error) {
      if (group.length === 1 || describeFailure(error).cause === 'unavailable') {
        for (const { reject } of group) reject(error);
      } else await Promise.all(group.map((each) => this.recordGroup([each])));
    }
  }
}

/** In their order, as many in each as one transaction takes; only what the same programs file routed goes together. */
function groupsOf(waiting: readonly WaitingBatch[]): WaitingBatch[][] {
  const groups: WaitingBatch[][] = [];
  let records = 0;
  for (const each of waiting) {
    const last = groups.at(-1);
    records += each.batch.records.length;
    if (last?.[0]?.batch.programsHash === each.batch.programsHash && records <= recordBatchMax) last.push(each);
    else {
      groups.push([each]);
      records = each.batch.records.length;
    }
  }
  return groups;
}
