import type { HeaderItem } from '#contracts';

import type { UndecodedBatch } from '../../source.js';
import type { RecordBatch } from './record-batch.js';
import { magic } from './record-batch.js';

/** A record as KafkaJS wants it (src/protocol/recordBatch/record/v0/decoder.js, 2.2.4), or what stands for a whole batch. */
export interface KafkaRecord {
  readonly magicByte: number;
  readonly attributes: number;
  readonly timestamp: string;
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderItem | readonly HeaderItem[]>>;
  readonly isControlRecord: boolean;
  readonly batchContext: RecordBatch['context'];
  readonly undecoded?: UndecodedBatch;
}

/** What is set aside, up to which offset. */
export type Undecoded = Omit<UndecodedBatch, 'bytes'> & { readonly lastOffset: number };

const nothing = { magicByte: magic, attributes: 0, key: null, value: null, headers: {} };

/** What stands for the records of a batch that are not taken out of it. */
export function standIn(batch: RecordBatch, { lastOffset, ...undecoded }: Undecoded): KafkaRecord {
  return {
    ...nothing,
    timestamp: String(batch.maxTimestamp),
    offset: String(lastOffset),
    isControlRecord: false,
    batchContext: batch.context,
    undecoded: { ...undecoded, bytes: batch.bytes },
  };
}

/** What KafkaJS passes over. */
export function nothingAt(offset: number): KafkaRecord {
  const batchContext = { producerId: '-1', inTransaction: false };
  return { ...nothing, timestamp: '0', offset: String(offset), isControlRecord: true, batchContext };
}
