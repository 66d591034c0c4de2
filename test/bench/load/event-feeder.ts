import type { Producer } from 'kafkajs';
import { kafkaClient, type TestBroker } from '#test-support';
import { eventHeaders, memberId, purchaseEvent } from '../backlog/purchase-event.js';

/** The first one of each member is in the database already. */
const firstRank = 2;
const eventsPerRequestMax = 1_000;

/** Produces purchases, members in turn, numbered from 0. */
export class EventFeeder {
  private count = 0;

  private constructor(
    private readonly producer: Producer,
    private readonly topic: string,
    private readonly members: number,
  ) {}

  static async connect(broker: TestBroker, topic: string, members: number): Promise<EventFeeder> {
    const producer = kafkaClient(broker).producer({ allowAutoTopicCreation: false });
    await producer.connect();
    return new EventFeeder(producer, topic, members);
  }

  get produced(): number {
    return this.count;
  }

  /** Resolves when the broker has the next `count` events. */
  async produce(count: number): Promise<void> {
    const from = this.count;
    this.count += count;
    for (let sent = 0; sent < count; sent += eventsPerRequestMax) {
      await this.send(from + sent, Math.min(eventsPerRequestMax, count - sent));
    }
  }

  /** As the stub sees it. */
  receiptOf(number: number): string {
    const { member, rank } = this.placeOf(number);
    return `${member}-${rank}`;
  }

  stop(): Promise<void> {
    return this.producer.disconnect();
  }

  private async send(from: number, count: number): Promise<void> {
    const messages = Array.from({ length: count }, (_, index) => {
      const { member, rank } = this.placeOf(from + index);
      return { key: memberId(member), value: purchaseEvent(member, rank), headers: eventHeaders };
    });
    await this.producer.send({ topic: this.topic, messages, acks: 1 });
  }

  private placeOf(number: number): { readonly member: number; readonly rank: number } {
    return { member: number % this.members, rank: Math.floor(number / this.members) + firstRank };
  }
}
