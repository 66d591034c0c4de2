import type { BatchResult, BatchToRecord, IngestKeys } from '#intents';
import {
  describeDatabaseFailure,
  isContentFailure,
  OffsetBehindError,
  recordBatch,
  recordBatches,
  recordBatchMax,
} from '#intents';
import type { Clock, Database } from '#platform';
import { DatabaseError, MasterKeyMissingError } from '#platform';

/** What a failed recording means for the records in it. */
interface RecordingFailure {
  /**
   * `content`: the database or our own code refused these very records; `unavailable`: time will help; `behind`: the
   * stored offset is not where we believe.
   */
  readonly cause: 'unavailable' | 'content' | 'behind';
  /** Names the stage and code, never a value. */
  readonly failure: string;
}

/** Judges an error of `recordBatch`. */
export function describeFailure(error: unknown): RecordingFailure {
  if (error instanceof DatabaseError) {
    return { cause: isContentFailure(error) ? 'content' : 'unavailable', failure: describeDatabaseFailure(error) };
  }
  const name = error instanceof Error ? error.name : 'failed';
  const failure = `record: ${name}`;
  if (error instanceof OffsetBehindError) return { cause: 'behind', failure };
  // Keys of members that another process wrapped by a key that this one has not been given: no record is to blame.
  const isPassing = name === 'BatchRaceError' || error instanceof MasterKeyMissingError;
  return { cause: isPassing ? 'unavailable' : 'content', failure };
}

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
    const [first, ...others] = group;
    if (first === undefined) return;
    if (others.length === 0) {
      await recordBatch(database, first.batch, keys).then(first.resolve, first.reject);
      return;
    }
    const parts = group.map(({ batch }) => batch);
    const now = Math.max(...parts.map((batch) => batch.now));
    try {
      const results = await recordBatches(database, { ...first.batch, parts, now }, keys);
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (error) {
      if (describeFailure(error).cause === 'unavailable') for (const { reject } of group) reject(error);
      else await Promise.all(group.map((each) => this.recordGroup([each])));
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
