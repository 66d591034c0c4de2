import { recordBatchMax } from '#intents';

import { chunkBytesMax } from './ingest-limits.js';

/** The offsets of a fetched batch: all that the decisions need of it. */
export interface BatchOffsets {
  /** The offset that was asked for. */
  readonly fetchedFrom: number;
  /** One per record, rising, never empty. */
  readonly offsets: readonly number[];
  /** How large each record is. */
  readonly bytes: readonly number[];
  /** Where the partition goes on after the batch. */
  readonly nextOffset: number;
}

/** One fetched batch on its way into the database. */
export interface IngestState {
  readonly phase: 'arriving' | 'recording' | 'waiting' | 'finished';
  readonly batch: BatchOffsets;
  /** Index of the first record that is not durable yet. */
  readonly from: number;
  /** Everything below is durable. */
  readonly standsAt: number;
  /** Records per chunk for now: smaller while the one is being searched that cannot be recorded. */
  readonly size: number;
  /** How often the present chunk was refused for its content. */
  readonly tries: number;
  /** The last delay before a retry; 0 when nothing failed lately. */
  readonly delayMs: number;
  /** Why the chunk's only record is set aside; null otherwise. */
  readonly poison: string | null;
  readonly isStopping: boolean;
}

/** Consecutive records that are recorded in one transaction. */
export interface Chunk {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Where the partition stands before the chunk. */
  readonly fromOffset: number;
  readonly nextOffset: number;
  /** Set: the one record goes to quarantine, for this reason. */
  readonly poison: string | null;
}

export function initialIngestState(batch: BatchOffsets): IngestState {
  return {
    phase: 'arriving',
    batch,
    from: 0,
    standsAt: batch.fetchedFrom,
    size: recordBatchMax,
    tries: 0,
    delayMs: 0,
    poison: null,
    isStopping: false,
  };
}

/** Records together have at most `chunkBytesMax`; a single one may have more. */
function endOfChunk({ offsets, bytes }: BatchOffsets, from: number, size: number): number {
  const end = Math.min(from + size, offsets.length);
  let sum = bytes[from] ?? 0;
  for (let to = from + 1; to < end; to += 1) {
    sum += bytes[to] ?? 0;
    if (sum > chunkBytesMax) return to;
  }
  return end;
}

/** The chunk that the state is about to record or is recording. */
export function chunkOf({ batch, from, standsAt, size, poison }: IngestState): Chunk {
  const to = endOfChunk(batch, from, size);
  const last = batch.offsets[to - 1];
  const nextOffset = to === batch.offsets.length || last === undefined ? batch.nextOffset : last + 1;
  return { from, to, fromOffset: standsAt, nextOffset, poison };
}

/** Index of the first record at or after `offset`; the number of records when there is none. */
export function indexFrom({ offsets }: BatchOffsets, offset: number): number {
  const index = offsets.findIndex((candidate) => candidate >= offset);
  return index === -1 ? offsets.length : index;
}
