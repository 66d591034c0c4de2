import type { SourceTables } from '#events';
import type { PreparedRecord } from '#intents';
import type { FetchedBatch, TopicPartition } from '#kafka';
import { SafeError } from '#platform';

import { chunkBytesMax } from './ingest-step.js';
import { sizeOf } from './partition-batcher.js';
import { prepareMapped, prepareOwn, type RoutingPrograms } from './prepare-record.js';

/** Events that are recorded together, at most; of one record all. Ingest of their partition waits for no more of them. */
export const againBatchMax = 100;

/** Records that were consumed before, prepared as ingest would prepare them now. */
export interface PreparedAgain extends TopicPartition {
  readonly records: readonly PreparedRecord[];
  /** Behind the last of them, and whatever there is none of. */
  readonly nextOffset: number;
  /** 16 bytes that name the programs file which routed them. */
  readonly programsHash: Uint8Array;
}

/** The programs file in force reads the topic no more. */
export class UnreadTopicError extends SafeError {
  override readonly name = 'UnreadTopicError';

  constructor(topic: string) {
    super(`no source of the programs file in force reads ${topic}`);
  }
}

interface AgainTools {
  readonly programs: () => RoutingPrograms;
  readonly sources: SourceTables;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Prepares a fetched batch by the programs file in force, in parts that are recorded together: one file each.
 * @throws {UnreadTopicError} @throws {UnavailableError} while what is needed to read a record is away
 */
export async function* prepareAgain(batch: FetchedBatch, tools: AgainTools): AsyncGenerator<PreparedAgain, void> {
  const { topic, partition, nextOffset } = batch;
  let from = 0;
  do {
    const part = await prepareSome(batch, from, tools);
    from = part.to;
    const next = batch.records[from];
    const behind = next === undefined ? nextOffset : (next.undecoded?.firstOffset ?? next.offset);
    const { records, programsHash } = part;
    yield { topic, partition, records, programsHash, nextOffset: behind };
  } while (from < batch.records.length);
}

interface PreparedPart extends Pick<PreparedAgain, 'records' | 'programsHash'> {
  /** Exclusive. */
  readonly to: number;
}

async function prepareSome(batch: FetchedBatch, from: number, tools: AgainTools): Promise<PreparedPart> {
  const { file, hash: programsHash } = tools.programs();
  const source = tools.sources.of(file).sourceOf(batch.topic);
  if (source === null) throw new UnreadTopicError(batch.topic);
  const { authority, mapping } = source;
  const now = tools.now();
  const records: PreparedRecord[] = [];
  let bytes = 0;
  for (let to = from; to < batch.records.length; to += 1) {
    const record = batch.records[to];
    if (record === undefined) break;
    bytes += sizeOf(record);
    if (to > from && bytes > chunkBytesMax) return { records, programsHash, to };
    // It was received about when the broker got it: a clock that ran ahead makes nobody else's word stale by being read late.
    const receivedAt = Math.min(now, record.brokerAt);
    const context = { source: batch, authority, programs: file, now, receivedAt };
    const events = mapping === null ? prepareOwn(record, context) : await prepareMapped(record, mapping, context);
    if (to > from && records.length + events.length > againBatchMax) return { records, programsHash, to };
    records.push(...events);
  }
  return { records, programsHash, to: batch.records.length };
}
