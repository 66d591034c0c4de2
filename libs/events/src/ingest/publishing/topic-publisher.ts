import type { FeedSource, FeedStep, MemberKeys } from '#intents';
import { switchFeed, TopicFeed } from '#intents';
import type { KafkaConnection, KafkaDriver, OutgoingRecord, TopicProducerSettings } from '#kafka';
import { TopicProducer } from '#kafka';
import type { Clock, Database, Logger, Random, Wake } from '#platform';
import { BackgroundLoop, IdleWait } from '#platform';

/** One send may take so long, connecting included; well below the lease of the reading. */
const sendMsMax = 10_000;
/** Brokers take 1 MiB by default, headers and framing included. */
const sendBytesMax = 512 * 1024;

/** A structured CloudEvent as a message. */
export type EventMessage = OutgoingRecord & { readonly value: string };

/** `source` of the CloudEvents that we emit. */
export const eventSource = '/loyaltyd';

/** Of a structured CloudEvent. */
export const eventHeaders = { 'content-type': 'application/cloudevents+json' };

/** Consecutive messages that go together: as many as fit, but at least one. */
function portions(messages: readonly EventMessage[], bytesMax: number): EventMessage[][] {
  const all: EventMessage[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const size = Buffer.byteLength(message.value);
    if (bytes + size > bytesMax) {
      all.push([]);
      bytes = 0;
    }
    bytes += size;
    all.at(-1)?.push(message);
  }
  return all;
}

/** Where what is published goes. */
export interface TopicSink<Item> {
  /** Resolves once the broker has all of them, in this order; bounded in time. */
  send(items: readonly Item[]): Promise<void>;
  close(): Promise<void>;
}

/** Publishes to a topic, in order. */
class KafkaSink<Item> implements TopicSink<Item> {
  private readonly producer: TopicProducer;

  constructor(
    settings: Omit<TopicProducerSettings, 'timeMsMax'>,
    private readonly toMessage: (item: Item) => EventMessage,
    tools: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.producer = new TopicProducer({ ...settings, timeMsMax: sendMsMax }, tools);
  }

  async send(items: readonly Item[]): Promise<void> {
    const messages = items.map(this.toMessage);
    await this.producer.withinTime(async () => {
      for (const portion of portions(messages, sendBytesMax)) await this.producer.send(portion);
    });
  }

  close(): Promise<void> {
    return this.producer.close();
  }
}

/** The next poll: a till must not wait a second for its answer, and an idle process must cost little. */
const idlePollMs = { leastMs: 100, mostMs: 2_000 } as const;
const elsewherePollMs = 2_000;
/** How often a process that is to publish makes sure of it: one with another setting may have switched it off at its start. */
const switchEveryMs = 60_000;
/** Transactions end within milliseconds; one that is left open must not cost 200 polls a second. */
const openPollMsMin = 5;
const openPollMsMax = 250;

/** The next look: it doubles the wait with each `open` in a row, and lets it grow slowly while nothing comes. */
export function feedPollMs(idle: IdleWait): (step: FeedStep) => number {
  let openMs = 0;
  const next: Readonly<Record<FeedStep, () => number>> = {
    published: () => 0,
    open: () => (openMs = Math.min(openPollMsMax, Math.max(openPollMsMin, openMs * 2))),
    idle: () => idle.next(),
    elsewhere: () => elsewherePollMs,
  };
  return (step) => {
    if (step !== 'open') openMs = 0;
    if (step !== 'idle' && step !== 'open') idle.reset();
    return next[step]();
  };
}

/** Everything that a topic needs from its process. */
export interface PublishingSettings {
  readonly driver: Pick<KafkaDriver, 'producer'>;
  /** Asked at each connection, so that renewed secrets are used. */
  readonly connection: () => KafkaConnection;
  /** `null`: nothing is published, and what happens meanwhile is not owed. */
  readonly topic: string | null;
  readonly database: Database;
  readonly keys: MemberKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Tells of work: something to publish comes soon. */
  readonly wake: Wake;
}

/** What is published, and how it looks there. */
export interface Publication<Item> {
  readonly source: FeedSource<Item>;
  readonly toMessage: (item: Item) => EventMessage;
  /** Asked once the broker has them. */
  readonly onPublished?: (items: readonly Item[]) => void;
  readonly failureMessage: string;
}

/** Where it goes unless a test says otherwise; null: nowhere. */
export function kafkaSink<Item>(
  { driver, connection, topic, clock, logger }: PublishingSettings,
  toMessage: (item: Item) => EventMessage,
): TopicSink<Item> | null {
  return topic === null ? null : new KafkaSink({ driver, connection, topic }, toMessage, { clock, logger });
}

/** Publishes a feed; not yet started. One process publishes at a time. */
export function createPublisher<Item>(
  settings: PublishingSettings,
  { source, toMessage, onPublished, failureMessage }: Publication<Item>,
  sink: TopicSink<Item> | null = kafkaSink(settings, toMessage),
): BackgroundLoop {
  const { database, clock, random, wake } = settings;
  const feed = new TopicFeed({
    ...{ database, source, clock },
    owner: random.uuid(),
    send: async (items) => {
      await sink?.send(items);
      onPublished?.(items);
    },
  });
  const idle = new IdleWait(idlePollMs);
  const pollMs = feedPollMs(idle);
  let switchAt = -Infinity;
  const switchOnce = async (): Promise<void> => {
    if (clock.monotonic() < switchAt) return;
    await switchFeed(database, source, sink !== null);
    switchAt = clock.monotonic() + switchEveryMs;
  };
  const workOnce = async (): Promise<number> => {
    await switchOnce();
    return sink === null ? Infinity : pollMs(await feed.step());
  };
  const close = async (): Promise<void> => {
    stopHearing();
    await feed.release().catch(() => undefined);
    await sink?.close();
  };
  const loop = new BackgroundLoop({ ...settings, workOnce, close, failureMessage });
  const stopHearing = idle.endWith(wake, loop);
  return loop;
}
