import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import pg from 'pg';

import { kafkaClient } from '#test-support';

import type { Contestant, RoundFigures, RoundInput } from './contestant.js';
import { FirstToLast } from './ingest-timing.js';

/** As ours: rows of one statement, partitions worked on at once. A fetch is larger, which is to its advantage. */
const rowsPerInsert = 500;
export const partitionsConcurrent = 4;
const fetchBytes = { maxBytes: 16 * 1024 * 1024, maxBytesPerPartition: 2 * 1024 * 1024 };

/** What is read of an event. */
export interface Purchase {
  readonly time: string;
  readonly data: { readonly purchaseId: string; readonly storeId: string; readonly total: { readonly minor: number } };
}

const insert = `
INSERT INTO bare_intent (lane_id, seq, version, operation, dedup_key, payload, store_id, purchase_id, amount,
  currency, event_type, occurred_at, broker_at, recorded_at, topic, partition, kafka_offset, programs_hash)
SELECT $1::int, kafka_offset, kafka_offset, 'transaction', dedup_key, payload, store_id, purchase_id, amount * 0.01, 'EUR',
  'loyalty.purchase.completed.v1', occurred_at, broker_at, clock_timestamp(), $2, $1::int, kafka_offset, '\\x00'
FROM unnest($3::bytea[], $4::bytea[], $5::text[], $6::text[], $7::bigint[], $8::timestamptz[], $9::timestamptz[],
  $10::int[]) AS w (dedup_key, payload, store_id, purchase_id, amount, occurred_at, broker_at, kafka_offset)`;

/** Store, purchase, amount, times and offset: columns that an intent takes as they come. */
export const plainColumns = (messages: readonly KafkaMessage[], events: readonly Purchase[]): unknown[] => [
  events.map(({ data }) => data.storeId),
  events.map(({ data }) => data.purchaseId),
  events.map(({ data }) => data.total.minor),
  events.map(({ time }) => time),
  messages.map(({ timestamp }) => new Date(Number(timestamp)).toISOString()),
  messages.map(({ offset }) => Number(offset)),
];

const parametersOf = (topic: string, partition: number, messages: readonly KafkaMessage[]): unknown[] => {
  const values = messages.map(({ value }) => value ?? Buffer.alloc(0));
  const events = values.map((value) => JSON.parse(value.toString()) as Purchase);
  return [partition, topic, messages.map(({ key }) => key), values, ...plainColumns(messages, events)];
};

/** What a loop does with some messages of one partition; resolves once they are durable. */
export type Write = (topic: string, partition: number, messages: readonly KafkaMessage[]) => Promise<unknown>;

/** Hands all messages to `write`, 500 at a time. */
export const consumeAll = async ({ kafka, secondsMax }: RoundInput, write: Write): Promise<RoundFigures> => {
  if (kafka === null) throw new Error('ingest needs Kafka');
  const timing = new FirstToLast({ records: kafka.records, secondsMax });
  const consumer = kafkaClient(kafka).consumer({ groupId: kafka.groupId, ...fetchBytes });
  const eachBatch = async ({ batch, resolveOffset, heartbeat, commitOffsetsIfNecessary }: EachBatchPayload) => {
    for (let from = 0; from < batch.messages.length; from += rowsPerInsert) {
      const messages = batch.messages.slice(from, from + rowsPerInsert);
      await write(batch.topic, batch.partition, messages);
      resolveOffset(messages.at(-1)?.offset ?? '0');
      timing.committed(messages.length);
      await heartbeat();
    }
    await commitOffsetsIfNecessary();
  };
  await consumer.connect();
  await consumer.subscribe({ topic: kafka.topic, fromBeginning: true });
  await consumer.run({
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: partitionsConcurrent,
    eachBatch: (payload) => eachBatch(payload).catch((error: unknown) => timing.fail('a batch failed', error)),
  });
  const figures = await timing.finished;
  await consumer.disconnect();
  return figures;
};

/** Parses the events and inserts the rows of the intents, one statement per 500: no check, no identity, no sealing. */
export const bareIngest: Contestant = async (input) => {
  const pool = new pg.Pool({ connectionString: input.databaseUrl, max: partitionsConcurrent });
  const figures = await consumeAll(input, (topic, partition, messages) =>
    pool.query({ name: 'insert', text: insert, values: parametersOf(topic, partition, messages) }),
  );
  await pool.end();
  return figures;
};
