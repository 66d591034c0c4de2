import { setTimeout as sleep } from 'node:timers/promises';

import type { Producer } from 'kafkajs';

import { waitUntil } from '#embedded';
import type { TestBroker } from '#test-support';
import { kafkaClient } from '#test-support';

import { eventHeaders, memberId, purchaseEvent } from '../backlog/purchase-event.js';
import { machineMs } from '../child.js';
import type { PartnerStub } from '../stub/start-stub.js';

/** Whose events come, and which is the first of each member. */
interface Crowd {
  readonly members: number;
  /** The `number`-th of them in a turn. Default: by number. */
  readonly memberAt?: (number: number, members: number) => number;
  /** Default: 2, the first one of each member is in the database already. */
  readonly firstRank?: number;
}

const firstRankDefault = 2;
const eventsPerRequestMax = 1_000;

/** Produces purchases, members in turn, numbered from 0. */
export class EventFeeder {
  private count = 0;

  private constructor(
    private readonly producer: Producer,
    private readonly topic: string,
    private readonly crowd: Crowd,
  ) {}

  static async connect(broker: TestBroker, topic: string, crowd: Crowd): Promise<EventFeeder> {
    const producer = kafkaClient(broker).producer({ allowAutoTopicCreation: false });
    await producer.connect();
    return new EventFeeder(producer, topic, crowd);
  }

  get produced(): number {
    return this.count;
  }

  /**
   * Resolves when the broker has the next `count` events.
   * @param toldAt the time of the `index`-th of them as the record tells it, in milliseconds since 1970; default: now
   */
  async produce(count: number, toldAt: (index: number) => number = () => Date.now()): Promise<void> {
    const from = this.count;
    this.count += count;
    for (let sent = 0; sent < count; sent += eventsPerRequestMax) {
      const times = Array.from({ length: Math.min(eventsPerRequestMax, count - sent) }, (_, index) =>
        toldAt(sent + index),
      );
      await this.send(from + sent, times);
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

  private async send(from: number, times: readonly number[]): Promise<void> {
    const messages = times.map((at, index) => {
      const { member, rank } = this.placeOf(from + index);
      const timestamp = `${Math.floor(at)}`;
      return { key: memberId(member), value: purchaseEvent(member, rank), headers: eventHeaders, timestamp };
    });
    await this.producer.send({ topic: this.topic, messages, acks: 1 });
  }

  private placeOf(number: number): { readonly member: number; readonly rank: number } {
    const { members, memberAt = (index) => index, firstRank = firstRankDefault } = this.crowd;
    return { member: memberAt(number % members, members), rank: Math.floor(number / members) + firstRank };
  }
}

const eventsPerRequest = 1_000;
const leadPollIntervalMs = 20;

/** How many events, and how many of them may be on their way at most: memory is not to depend on a backlog in Kafka. */
interface Feed {
  readonly events: number;
  readonly leadMax: number;
  readonly secondsMax: number;
}

/** Produces as fast as the partner stub applies. @throws when that takes too long */
export const feedWithLead = async (feeder: EventFeeder, stub: PartnerStub, feed: Feed): Promise<void> => {
  const deadline = performance.now() + feed.secondsMax * 1_000;
  const [before, from] = [(await stub.counts()).applied, feeder.produced];
  while (feeder.produced < feed.events) {
    const { applied } = await stub.counts();
    if (performance.now() > deadline) throw new Error(`only ${applied - before} events in ${feed.secondsMax} s`);
    if (feeder.produced - from - (applied - before) < feed.leadMax) await feeder.produce(eventsPerRequest);
    else await sleep(leadPollIntervalMs);
  }
};

/** Events that fall due between two ticks are produced together. */
const produceIntervalMs = 1;

interface OpenLoop {
  /** Number of the first event. */
  readonly first: number;
  readonly count: number;
  /** When the first event was due, in milliseconds since 1970; each record tells when it was due as its time. */
  readonly from: number;
  /** When the `index`-th event of the loop was due, by the machine's clock. */
  readonly dueAt: (index: number) => number;
  /** When the broker had acknowledged the `index`-th event. */
  readonly acknowledgedAt: (index: number) => number;
  /** From when an event was due until the broker had it; one per request. */
  readonly producedMs: readonly number[];
}

/**
 * Produces events at a given rate, evenly spaced. Each is to be measured from when it was due: one that went late,
 * because this process or the broker was slow, counts with its delay (no coordinated omission).
 */
export const runOpenLoop = async (
  feeder: EventFeeder,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<OpenLoop> => {
  const count = Math.max(1, Math.round(rate * seconds));
  const first = feeder.produced;
  const producedMs: number[] = [];
  const acknowledged: number[] = [];
  const finished = Promise.withResolvers<undefined>();
  const startedAt = machineMs();
  const clockAhead = Date.now() - startedAt;
  let requests = 0;
  const dueAt = (index: number): number => startedAt + (index * 1_000) / rate;
  const produceDue = async (): Promise<void> => {
    const sent = feeder.produced - first;
    const due = Math.min(count, Math.floor(((machineMs() - startedAt) * rate) / 1_000) + 1);
    if (due <= sent) return;
    requests += 1;
    await feeder.produce(due - sent, (index) => clockAhead + dueAt(sent + index));
    requests -= 1;
    const now = machineMs();
    producedMs.push(now - dueAt(sent));
    for (let index = sent; index < due; index += 1) acknowledged[index] = now;
    if (feeder.produced - first === count && requests === 0) finished.resolve(undefined);
  };
  const timer = setInterval(() => void produceDue().catch(finished.reject), produceIntervalMs);
  await finished.promise.finally(() => clearInterval(timer));
  const from = clockAhead + startedAt;
  return { first, count, from, dueAt, acknowledgedAt: (index) => acknowledged[index] ?? NaN, producedMs };
};

const pollIntervalMs = 100;

/**
 * Waits until the stub has applied so many calls since its last reset.
 * @throws when it saw one twice, out of order or unreadable, or after `timeoutMs`
 */
export const awaitApplied = async (stub: PartnerStub, wanted: number, timeoutMs: number): Promise<void> => {
  const isThere = async (): Promise<boolean> => {
    const counts = await stub.counts();
    const wrong = counts.duplicates + counts.outOfOrder + counts.unreadable;
    if (wrong > 0 || counts.applied > wanted) throw new Error(`the partner stub saw ${JSON.stringify(counts)}`);
    return counts.applied === wanted;
  };
  await waitUntil(isThere, { what: `${wanted} deliveries`, timeoutMs, intervalMs: pollIntervalMs });
};
