import type { Message, Producer, RecordMetadata, Transaction } from 'kafkajs';

import type { TestBroker } from '#test-support';
import { kafkaClient } from '#test-support';

import { eventHeaders, memberId, purchaseEvent } from '../backlog/purchase-event.js';
import type { OffsetSpan } from './recovery.js';

/** The first one of each member is in the database already. */
const firstRank = 2;
/** Of one request; each row has one event for each partition. */
const rowsPerRequest = 40;
/** The broker gives up a transaction that takes longer. */
const transactionMsMax = 300_000;

interface FeedPlace {
  readonly topic: string;
  readonly partitions: number;
  readonly membersPerPartition: number;
}

/** Events that the broker has, and that nobody can read yet. */
interface PreparedLag {
  /** Where they lie, by partition. */
  readonly spans: readonly OffsetSpan[];
  /** Lets everybody read them. */
  appear(): Promise<void>;
}

/** Produces purchases, partitions in turn and members in turn: a member stays in its partition, and all are filled evenly. */
export class PartitionFeeder {
  private count = 0;

  private constructor(
    private readonly producer: Producer,
    private readonly transactional: Producer,
    private readonly place: FeedPlace,
  ) {}

  static async connect(broker: TestBroker, place: FeedPlace): Promise<PartitionFeeder> {
    const kafka = kafkaClient(broker);
    const transactional = kafka.producer({
      transactionalId: place.topic,
      transactionTimeout: transactionMsMax,
      idempotent: true,
      maxInFlightRequests: 1,
    });
    const producer = kafka.producer({ allowAutoTopicCreation: false });
    await Promise.all([producer.connect(), transactional.connect()]);
    return new PartitionFeeder(producer, transactional, place);
  }

  get produced(): number {
    return this.count;
  }

  /**
   * A lag that comes to be at one moment, when everybody has joined: nobody sees the events before their transaction is
   * committed. Else the first ones would be recorded while the last are still produced, by the same processors.
   */
  async prepareLag(eventsPerPartition: number): Promise<PreparedLag> {
    const transaction = await this.transactional.transaction();
    const spans = Array.from({ length: this.place.partitions }, () => ({ first: Infinity, next: 0 }));
    for (let rows = 0; rows < eventsPerPartition; rows += rowsPerRequest) {
      const count = Math.min(rowsPerRequest, eventsPerPartition - rows);
      for (const { partition, baseOffset } of await this.send(transaction, count)) {
        const span = spans[partition];
        if (span === undefined) throw new Error(`there is a partition ${partition}`);
        span.first = Math.min(span.first, Number(baseOffset));
        span.next = Number(baseOffset) + count;
      }
    }
    return { spans, appear: () => transaction.commit() };
  }

  /** One event for each partition. */
  async produceRow(): Promise<readonly RecordMetadata[]> {
    return this.send(this.producer, 1);
  }

  async stop(): Promise<void> {
    await Promise.all([this.producer.disconnect(), this.transactional.disconnect()]);
  }

  private async send(producer: Pick<Transaction, 'send'>, rows: number): Promise<readonly RecordMetadata[]> {
    const from = this.count;
    const events = rows * this.place.partitions;
    this.count += events;
    const messages = Array.from({ length: events }, (_, index) => this.message(from + index));
    return producer.send({ topic: this.place.topic, messages });
  }

  private message(number: number): Message {
    const { partitions, membersPerPartition } = this.place;
    const members = partitions * membersPerPartition;
    const member = number % members;
    return {
      partition: number % partitions,
      key: memberId(member),
      value: purchaseEvent(member, Math.floor(number / members) + firstRank),
      headers: eventHeaders,
    };
  }
}
