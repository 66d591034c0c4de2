import type { Batch, KafkaMessage } from 'kafkajs';

import type { FetchedBatch, FetchedRecord } from '../source.js';

/** What KafkaJS' batches carry beyond their declared type (src/consumer/batch.js, 2.2.4). */
type BatchWithStart = Batch & { readonly fetchedOffset?: string };

/** What our own reading of fetches adds to a message (fetch/record-set.ts). */
type ReadMessage = KafkaMessage & Pick<FetchedRecord, 'undecoded'>;

function toRecord(message: ReadMessage): FetchedRecord {
  const { undecoded } = message;
  return {
    offset: Number(message.offset),
    brokerAt: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers: message.headers,
    ...(undecoded === undefined ? {} : { undecoded }),
  };
}

/** Offsets stay exact: they are counted one by one and do not reach 2^53. */
export function toFetchedBatch(batch: Batch): FetchedBatch {
  const { topic, partition, messages } = batch;
  return {
    topic,
    partition,
    fetchedFrom: Number((batch as BatchWithStart).fetchedOffset ?? batch.firstOffset()),
    nextOffset: Number(batch.lastOffset()) + 1,
    highWatermark: Number(batch.highWatermark),
    records: messages.map(toRecord),
  };
}
