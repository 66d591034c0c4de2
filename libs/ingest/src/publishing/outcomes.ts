import type { Message } from 'kafkajs';
import { OutcomeFeed, switchOutcomes, type MemberKeys, type Outcome, type OutcomeStep } from '#intents';
import type { Clock, Database, Logger, Random, Wake } from '#platform';
import { BackgroundLoop, IdleWait } from '#platform';
import type { KafkaConnection } from '../source/kafka/kafka-connection.js';
import { TopicProducer, type TopicProducerSettings } from './topic-producer.js';

/** Where outcomes go. */
export interface OutcomeSink {
  /** Resolves once the broker has all of them, in this order; bounded in time. */
  send(outcomes: readonly Outcome[]): Promise<void>;
  close(): Promise<void>;
}

/** `source` of the CloudEvents that we emit. */
const outcomeSource = '/loyaltyd';

const headers = { 'content-type': 'application/cloudevents+json' };

/**
 * An outcome as a message of the outcomes topic: a structured CloudEvent, keyed by its member. `sequence` rises within
 * a member's outcomes, so that a reader can tell an outcome that comes again from a newer one.
 */
function toOutcomeMessage({ id, name, memberId, at, sequence, data }: Outcome): Message & { value: string } {
  const event = {
    specversion: '1.0',
    id,
    source: outcomeSource,
    type: name,
    subject: memberId,
    time: new Date(at).toISOString(),
    sequence: String(sequence),
    datacontenttype: 'application/json',
    data,
  };
  return { key: memberId, value: JSON.stringify(event), headers };
}

/** One send may take so long, connecting included; well below the lease of the reading. */
const outcomeSendMsMax = 10_000;
/** Brokers take 1 MiB by default, headers and framing included. */
const outcomeSendBytesMax = 512 * 1024;

type Sized = Message & { readonly value: string };

/** Consecutive messages that go together: as many as fit, but at least one. */
function portions(messages: readonly Sized[], bytesMax: number): Sized[][] {
  const all: Sized[][] = [];
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

/** Publishes to the outcomes topic, in order. */
class KafkaOutcomeSink implements OutcomeSink {
  private readonly producer: TopicProducer;

  constructor(
    settings: Omit<TopicProducerSettings, 'timeMsMax'>,
    tools: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.producer = new TopicProducer({ ...settings, timeMsMax: outcomeSendMsMax }, tools);
  }

  async send(outcomes: readonly Outcome[]): Promise<void> {
    const messages = outcomes.map(toOutcomeMessage);
    await this.producer.withinTime(async () => {
      for (const portion of portions(messages, outcomeSendBytesMax)) await this.producer.send(portion);
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

/** Doubles the wait with each `open` in a row, and lets it grow slowly while nothing comes. */
export function outcomePollMs(idle: IdleWait): (step: OutcomeStep) => number {
  let openMs = 0;
  const next: Readonly<Record<OutcomeStep, () => number>> = {
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

/** Everything the outcomes topic needs from its process. */
interface OutcomesSettings {
  /** Asked at each connection, so that renewed secrets are used. */
  readonly connection: () => KafkaConnection;
  /** `null`: nothing is published, and what happens meanwhile is not owed. */
  readonly topic: string | null;
  readonly database: Database;
  readonly keys: MemberKeys;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Tells of work: outcomes come soon. */
  readonly wake: Wake;
  /** Counted by event type, once the broker has them. */
  readonly onPublished: (type: string, count: number) => void;
}

function kafkaSink({ connection, topic, clock, logger }: OutcomesSettings): OutcomeSink | null {
  return topic === null ? null : new KafkaOutcomeSink({ connection, topic }, { clock, logger });
}

/** The publisher of the outcomes topic; it runs where delivery runs, not yet started. One process publishes at a time. */
export function createOutcomes(
  settings: OutcomesSettings,
  sink: OutcomeSink | null = kafkaSink(settings),
): BackgroundLoop {
  const { database, clock, random, wake, onPublished } = settings;
  const feed = new OutcomeFeed({
    ...settings,
    owner: random.uuid(),
    send: async (outcomes) => {
      await sink?.send(outcomes);
      for (const [type, group] of Map.groupBy(outcomes, ({ name }) => name)) onPublished(type, group.length);
    },
  });
  const idle = new IdleWait(idlePollMs);
  const pollMs = outcomePollMs(idle);
  let switchAt = -Infinity;
  const switchOnce = async (): Promise<void> => {
    if (clock.monotonic() < switchAt) return;
    await switchOutcomes(database, sink !== null);
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
  const loop = new BackgroundLoop({
    ...settings,
    clock,
    random,
    workOnce,
    close,
    failureMessage: 'outcomes were not published',
  });
  const stopHearing = idle.endWith(wake, loop);
  return loop;
}
