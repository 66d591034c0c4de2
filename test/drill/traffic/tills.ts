import { setTimeout as delay } from 'node:timers/promises';

import type { Kafka, Message, Producer } from 'kafkajs';
import { logLevel } from 'kafkajs';

import { KafkaClient } from '#kafka/kafkajs';
import type { Chance, CloudEvent, Encoded, Sent } from '#shop';
import { drillDials, encode, OtherClient, otherRequest, OtherSystems, Shop } from '#shop';
import type { JsonObject } from '../../judge/case.js';
import { missingPassWaitMs, otherTerms, shopPrograms, topicOf } from '../installation/programs.js';
import type { Wallet } from '../installation/wallet.js';
import type { Emission, Told } from './emission.js';
import { emissionOf } from './emission.js';

const retryMs = 300;
const requestMsMax = 10_000;
const allReplicas = -1;

function messageOf({ key, value, headers }: Emission): Message {
  return { key, value, headers: { ...headers } };
}

/**
 * Produces in order, with every acknowledgement, past every proxy. What is not acknowledged (the broker is away, or it
 * died before it could say so) is sent again until it is, as tills do: the same event ids, perhaps twice in the log.
 */
class TillProducer {
  private producer: Producer | null = null;
  private readonly kafka: Kafka;
  private isStopped = false;
  /** Records the broker has acknowledged. */
  acknowledged = 0;
  /** Records sent, each time counted. */
  sent = 0;

  constructor(brokers: string) {
    this.kafka = new KafkaClient({
      clientId: 'tills',
      brokers: [brokers],
      logLevel: logLevel.NOTHING,
      requestTimeout: requestMsMax,
      retry: { retries: 0 },
    });
  }

  /** Resolves when all are acknowledged; after `stop`, with what is not left out. */
  async produce(emissions: readonly Emission[], onAcknowledged: (emission: Emission) => void): Promise<void> {
    const byTopic = Map.groupBy(emissions, topicOf);
    for (const [topic, items] of byTopic) {
      if (await this.send(topic, items)) items.forEach(onAcknowledged);
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.producer?.disconnect().catch(() => undefined);
  }

  private async send(topic: string, items: readonly Emission[]): Promise<boolean> {
    while (!this.isStopped) {
      try {
        const producer = await this.connected();
        this.sent += items.length;
        await producer.send({ topic, acks: allReplicas, messages: items.map(messageOf) });
        this.acknowledged += items.length;
        return true;
      } catch {
        await this.producer?.disconnect().catch(() => undefined);
        this.producer = null;
        await delay(retryMs);
      }
    }
    return false;
  }

  private async connected(): Promise<Producer> {
    if (this.producer !== null) return this.producer;
    const producer = this.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    this.producer = producer;
    return producer;
  }
}

/** Where some members shop at markets. */
const withMarkets: typeof drillDials = {
  ...drillDials,
  markets: 0.3,
  often: { ...drillDials.often, exchanges: 12, errsAtMarkets: 6 },
};

const tickMs = 50;
/** How long before the end of the traffic everybody who never enrols has been given up. */
const settledBeforeMs = 30_000;
/** A till that was away has more to say than usual, not everything at once. */
const perTickMax = 500;

export interface TillsReport {
  readonly produced: number;
  readonly acknowledged: number;
  readonly byKind: Readonly<Record<string, number>>;
}

/** Keeps producing until it is stopped, and remembers what the partner may have of what was acknowledged. */
export class Tills {
  readonly told: Told[] = [];
  private readonly shop: Shop;
  private readonly modes: Chance;
  /** Everybody else who posts to the partner. */
  private readonly others: OtherSystems;
  private readonly otherClient: OtherClient;
  /** From then on nobody does what leaves purchases waiting for an enrolment that never comes. */
  private readonly settlesAt: number;
  private readonly producer: TillProducer;
  private readonly byKind = new Map<string, number>();
  /** By their ids: events that were told in a wrong form; what was meant, once it was sent as it should be. */
  private readonly meant = new Map<string, JsonObject | null>();
  /** What receipts of markets mean, by their text. */
  private readonly receipts = new Map<string, readonly CloudEvent[]>();
  private isOpen = true;
  private made = 0;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: {
      readonly brokers: string;
      /** The partner, past every proxy: other systems have ways of their own. */
      readonly wallet: Pick<Wallet, 'url' | 'clientSecret'>;
      /** How many records there should be after so many seconds. */
      readonly dueBy: (seconds: number) => number;
      readonly chance: Chance;
      readonly seconds: number;
      /** Some tills write receipts of their own. Default: none. */
      readonly hasMarkets?: boolean;
    },
  ) {
    this.producer = new TillProducer(options.brokers);
    const dials = options.hasMarkets === true ? withMarkets : drillDials;
    this.shop = new Shop({ chance: options.chance, dials, programs: shopPrograms });
    this.modes = options.chance.fork('modes');
    this.others = new OtherSystems(options.chance.fork('others'), drillDials);
    this.otherClient = new OtherClient({
      url: options.wallet.url,
      clientId: 'sandbox',
      clientSecret: () => options.wallet.clientSecret,
    });
    this.settlesAt = Date.now() + options.seconds * 1_000 - missingPassWaitMs - settledBeforeMs;
  }

  open(): void {
    this.work = this.run();
  }

  /** Sends what is left, and waits until everything is acknowledged. */
  async close(): Promise<void> {
    this.isOpen = false;
    await this.work;
    await this.send(this.rest());
    await this.producer.stop();
    await this.otherClient.settled();
  }

  report(): TillsReport {
    const { sent, acknowledged } = this.producer;
    return { produced: sent, acknowledged, byKind: Object.fromEntries([...this.byKind].toSorted()) };
  }

  private async run(): Promise<void> {
    const startedAt = performance.now();
    while (this.isOpen) {
      const due = this.options.dueBy((performance.now() - startedAt) / 1_000) - this.made;
      const count = Math.min(perTickMax, Math.floor(due));
      this.made += Math.max(0, count);
      if (count > 0) await this.send(await this.next(count));
      await delay(tickMs);
    }
  }

  private async next(count: number): Promise<Emission[]> {
    const now = Date.now();
    const ending = { settles: now >= this.settlesAt };
    const emissions: Emission[] = [];
    for (let made = 0; made < count; made += 1) {
      const sent = this.shop.next(now, ending);
      await this.letOthersAct(sent, now);
      this.noteForm(sent);
      emissions.push(this.emissionOf(sent));
    }
    return emissions;
  }

  /** What was meant by an event that was told in a wrong form first; null: it was not, or not said yet. */
  meantBy(eventId: string): JsonObject | null {
    return this.meant.get(eventId) ?? null;
  }

  /** What was meant by a receipt, event by event; null: it is none. */
  meantByReceipt(value: string): readonly Encoded[] | null {
    return this.receipts.get(value)?.map((event) => encode({ kind: 'event', event }, 'structured')) ?? null;
  }

  private emissionOf(sent: Sent): Emission {
    const emission = emissionOf(sent, this.modes);
    if (sent.content.kind === 'receipt') this.receipts.set(String(emission.value), sent.content.meant);
    return emission;
  }

  private noteForm({ content, name, part }: Sent): void {
    if (content.kind !== 'event' || name !== 'purchase.completed') return;
    const { id } = content.event;
    if (part === 'useless') this.meant.set(id, null);
    if (part !== null || this.meant.get(id) !== null) return;
    this.meant.set(id, JSON.parse(String(encode(content, 'structured').value)) as JsonObject);
  }

  /** Only a number that another system takes must be taken first. */
  private async letOthersAct(sent: Sent, now: number): Promise<void> {
    const call = this.others.before(sent);
    if (call === null) return;
    const posting = this.otherClient.post(otherRequest(call, otherTerms(call.program), now));
    if (call.takes !== null) await posting;
  }

  /** What is still to come: enrolments that are told late, and what tills that were off tell again. */
  private rest(): Emission[] {
    const left: Emission[] = [];
    for (let sent = this.shop.nextHeld(Date.now()); sent !== null; sent = this.shop.nextHeld(Date.now())) {
      left.push(this.emissionOf(sent));
    }
    left.push(...this.shop.again().map((sent) => this.emissionOf(sent)));
    return left;
  }

  private async send(emissions: readonly Emission[]): Promise<void> {
    if (emissions.length > 0) await this.producer.produce(emissions, (emission) => this.acknowledge(emission));
  }

  private acknowledge({ what, told }: Emission): void {
    this.byKind.set(what, (this.byKind.get(what) ?? 0) + 1);
    this.told.push(...told);
  }
}
