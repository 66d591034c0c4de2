import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import pg from 'pg';

import { kafkaClient } from '#test-support';

import type { Contestant, RoundFigures } from './contestant.js';
import { Stopwatch } from './contestant.js';

/**
 * Times a consumer from its first commit to its last: joining the group and finding the offsets are not counted, and
 * neither are the records of the first commit.
 */
export class FirstToLast {
  readonly finished: Promise<RoundFigures>;
  private readonly end = Promise.withResolvers<RoundFigures>();
  private watch: Stopwatch | null = null;
  private statementsBefore = 0;
  private recorded = 0;
  private uncounted = 0;

  /** @param statements how many have been sent so far, where that is counted */
  constructor(
    private readonly limits: { readonly records: number; readonly secondsMax: number },
    private readonly statements: () => number | null = () => null,
  ) {
    const tooLate = (): void => this.fail(`only ${this.recorded} of ${limits.records} in ${limits.secondsMax} s`);
    const timer = setTimeout(tooLate, limits.secondsMax * 1_000);
    this.finished = this.end.promise.finally(() => clearTimeout(timer));
  }

  fail(message: string, cause?: unknown): void {
    this.end.reject(new Error(message, { cause }));
  }

  /** So many records are durable now. */
  committed(count: number): void {
    this.recorded += count;
    if (this.watch === null) {
      this.watch = new Stopwatch();
      this.uncounted = count;
      this.statementsBefore = this.statements() ?? 0;
    }
    if (this.recorded < this.limits.records) return;
    const sent = this.statements();
    const statements = sent === null ? null : sent - this.statementsBefore;
    this.end.resolve(this.watch.read(this.recorded - this.uncounted, statements));
  }
}

/** As ours: rows of one statement, partitions worked on at once. A fetch is larger, which is to its advantage. */
const rowsPerInsert = 500;
const partitionsConcurrent = 4;
const fetchBytes = { maxBytes: 16 * 1024 * 1024, maxBytesPerPartition: 2 * 1024 * 1024 };

interface Purchase {
  readonly time: string;
  readonly data: { readonly purchaseId: string; readonly storeId: string; readonly total: { readonly minor: number } };
}

const insert = `
INSERT INTO bare_intent (lane_id, seq, version, operation, dedup_key, payload, store_id, purchase_id, amount_minor,
  currency, event_type, occurred_at, broker_at, recorded_at, topic, partition, kafka_offset, programs_hash)
SELECT $1::int, kafka_offset, kafka_offset, 'transaction', dedup_key, payload, store_id, purchase_id, amount, 'EUR',
  'loyalty.purchase.completed.v1', occurred_at, broker_at, clock_timestamp(), $2, $1::int, kafka_offset, '\\x00'
FROM unnest($3::bytea[], $4::bytea[], $5::text[], $6::text[], $7::bigint[], $8::timestamptz[], $9::timestamptz[],
  $10::int[]) AS w (dedup_key, payload, store_id, purchase_id, amount, occurred_at, broker_at, kafka_offset)`;

const parametersOf = (topic: string, partition: number, messages: readonly KafkaMessage[]): unknown[] => {
  const values = messages.map(({ value }) => value ?? Buffer.alloc(0));
  const events = values.map((value) => JSON.parse(value.toString()) as Purchase);
  return [
    partition,
    topic,
    messages.map(({ key }) => key),
    values,
    events.map(({ data }) => data.storeId),
    events.map(({ data }) => data.purchaseId),
    events.map(({ data }) => data.total.minor),
    events.map(({ time }) => time),
    messages.map(({ timestamp }) => new Date(Number(timestamp)).toISOString()),
    messages.map(({ offset }) => Number(offset)),
  ];
};

/** Parses the events and inserts the rows of the intents, one statement per 500: no check, no identity, no sealing. */
export const bareIngest: Contestant = async ({ kafka, databaseUrl, secondsMax }) => {
  if (kafka === null) throw new Error('ingest needs Kafka');
  const timing = new FirstToLast({ records: kafka.records, secondsMax });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: partitionsConcurrent });
  const consumer = kafkaClient(kafka).consumer({ groupId: kafka.groupId, ...fetchBytes });
  const eachBatch = async ({ batch, resolveOffset, heartbeat, commitOffsetsIfNecessary }: EachBatchPayload) => {
    for (let from = 0; from < batch.messages.length; from += rowsPerInsert) {
      const messages = batch.messages.slice(from, from + rowsPerInsert);
      await pool.query({ name: 'insert', text: insert, values: parametersOf(batch.topic, batch.partition, messages) });
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
  await pool.end();
  return figures;
};
