interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface BatchQueueOptions<Item, Result> {
  readonly batchSizeMax: number;
  /** True for an item that is written in a batch of its own. */
  readonly standsAlone?: (item: Item) => boolean;
  /** One result per item, in the items' order; a rejection fails the whole batch. Never called twice at a time. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
}

/**
 * Group commit: what arrives in the same turn of the event loop, or while the previous batch is being written, is
 * written together, in order of arrival.
 */
export class BatchQueue<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private isRunning = false;

  constructor(private readonly options: BatchQueueOptions<Item, Result>) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.isRunning) return;
      this.isRunning = true;
      setImmediate(() => void this.run());
    });
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.flushOne(this.waiting.splice(0, this.nextBatchSize()));
    }
    this.isRunning = false;
  }

  /** Up to the next item that stands alone, or that item. */
  private nextBatchSize(): number {
    const { batchSizeMax, standsAlone } = this.options;
    if (standsAlone === undefined) return batchSizeMax;
    const next = this.waiting.slice(0, batchSizeMax);
    const alone = next.findIndex(({ item }) => standsAlone(item));
    return alone === -1 ? next.length : Math.max(alone, 1);
  }

  private async flushOne(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.flush(batch.map((entry) => entry.item));
      if (results.length !== batch.length) throw new Error('a flush must return one result per item');
      batch.forEach((entry, index) => entry.resolve(results[index] as Result));
    } catch (error) {
      batch.forEach((entry) => entry.reject(error));
    }
  }
}
