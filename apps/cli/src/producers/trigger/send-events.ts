import { setTimeout as delay } from 'node:timers/promises';

import { isLoopback } from '#contracts';
import { KafkaAccess } from '#daemon';
import { type Admin, createKafkaDriver, type KafkaConnection, type KafkaDriver, TopicProducer } from '#kafka';
import type { Clock, Logger } from '#platform';
import { createLogger, SystemClock } from '#platform';

import { exitError, exitOk, exitSomeFailed, exitUsage } from '../../command-line/command-failure.js';
import type { TextOutput } from '../text-output.js';
import type { EncodedEvent, TriggeredEvent } from './event-source.js';
import type { TriggerPlan } from './plan-trigger.js';

/** Connecting and one send may take so long together. */
const sendTimeMsMax = 30_000;

/** Where a record lies. */
interface SentPlace {
  readonly partition: number;
  readonly offset: number;
}

interface SenderSettings {
  readonly connection: () => KafkaConnection;
  readonly topic: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly driver: KafkaDriver;
}

/** Sends one record at a time, each with the acknowledgement of all replicas. The driver's log lines are left out. */
class EventSender {
  private readonly producer: TopicProducer;

  constructor(private readonly settings: SenderSettings) {
    const { driver, connection, topic, clock, logger } = settings;
    this.producer = new TopicProducer({ driver, connection, topic, timeMsMax: sendTimeMsMax }, { clock, logger });
  }

  /** One that is not there must not be made by a slip of the pen. @throws when there is no such topic */
  async requireTopic(): Promise<void> {
    const { topic } = this.settings;
    const existing = await this.admin().existing([topic]);
    if (!existing.has(topic)) throw new Error(`${topic}: the brokers have no such topic`);
  }

  /**
   * A tunnel ends on this machine and leads elsewhere: what counts is what the brokers call themselves.
   * @returns the first of them that is not this machine
   */
  async remoteBroker(): Promise<string | null> {
    const brokers = await this.admin().brokers();
    const remote = brokers.find(({ host }) => !isLoopback(host));
    return remote === undefined ? null : `${remote.host}:${remote.port}`;
  }

  async send({ key, headers, value }: EncodedEvent): Promise<SentPlace> {
    const places: SentPlace[] = [];
    await this.producer.withinTime(async () => {
      for (const { partition, firstOffset } of await this.producer.send([{ key, headers, value }])) {
        places.push({ partition, offset: firstOffset });
      }
    });
    const [place] = places;
    if (place === undefined) throw new Error('the broker did not say where it put the record');
    return place;
  }

  async close(): Promise<void> {
    await this.producer.close();
  }

  private admin(): Admin {
    const { driver, connection, logger } = this.settings;
    return driver.admin(connection(), logger, 'usual');
  }
}

interface SendTools {
  /** Where each record lies, a JSON line each. */
  readonly output: TextOutput;
  readonly complain: (line: string) => void;
}

/** Sends the events of a plan in order, at its rate. @returns the exit code */
export async function sendEvents(plan: TriggerPlan, tools: SendTools): Promise<number> {
  const clock = new SystemClock();
  const logger = createLogger({ level: 'silent', service: 'loyaltyd-trigger' });
  const access = new KafkaAccess(createKafkaDriver(), () => plan.kafka, { clock, logger });
  const connection = (): KafkaConnection => ({ ...access.connection(), clientId: 'loyaltyd-trigger' });
  const sender = new EventSender({ connection, topic: plan.topic, clock, logger, driver: access.driver });
  let sent = 0;
  try {
    const remote = plan.options.yes ? null : await sender.remoteBroker();
    if (remote !== null) {
      tools.complain(`the brokers call themselves ${remote}, which is not this machine. To send: --yes`);
      return exitUsage;
    }
    await sender.requireTopic();
    for await (const triggered of paced(plan)) {
      const place = await sender.send(triggered.record);
      sent += 1;
      await tools.output.write(`${JSON.stringify(lineOf(plan, triggered, place))}\n`);
    }
    return exitOk;
  } catch (error) {
    tools.complain(failureText(error, sent, plan));
    return sent > 0 ? exitSomeFailed : exitError;
  } finally {
    await sender.close();
  }
}

/** At most at the rate asked for: what a slow broker delays is not made up for. */
async function* paced({ options, events }: TriggerPlan): AsyncGenerator<TriggeredEvent, void> {
  const intervalMs = 1_000 / options.eventsPerSecond;
  let dueAt = performance.now();
  for (let number = 1; number <= options.count; number += 1) {
    await delay(Math.max(0, dueAt - performance.now()));
    dueAt = Math.max(dueAt, performance.now()) + intervalMs;
    yield events.make(number);
  }
}

function lineOf({ topic }: TriggerPlan, { event, record, refusal }: TriggeredEvent, place: SentPlace): object {
  const { id, source, type, time } = event;
  return { topic, ...place, key: record.key, id, source, type, time, ...(refusal === null ? {} : { refusal }) };
}

function failureText(error: unknown, sent: number, { options }: TriggerPlan): string {
  const text = error instanceof Error ? error.message : 'unknown error';
  return sent === 0 ? text : `${sent} of ${options.count} were sent, then: ${text}`;
}
