import type { Kafka } from 'kafkajs';

import {
  createKafka,
  findTopics,
  type KafkaConnection,
  silenceTimeoutWarning,
  TopicProducer,
  withAdmin,
} from '#ingest';
import { type Clock, createLogger, type Logger } from '#platform';

import type { EncodedEvent } from './encode-event.js';
import { isLoopback } from './is-loopback.js';

/** Connecting and one send may take so long together. */
export const sendTimeMsMax = 30_000;

/** Where a record lies. */
export interface SentPlace {
  readonly partition: number;
  readonly offset: number;
}

export interface SenderSettings {
  readonly connection: () => KafkaConnection;
  readonly topic: string;
  readonly clock: Clock;
}

/** Sends one record at a time, each with the acknowledgement of all replicas. KafkaJS' own log lines are left out. */
export class EventSender {
  private readonly logger: Logger = createLogger({ level: 'silent', service: 'loyaltyd-trigger' });
  private readonly producer: TopicProducer;
  private readonly unsilence = silenceTimeoutWarning();

  constructor(private readonly settings: SenderSettings) {
    const { connection, topic, clock } = settings;
    this.producer = new TopicProducer({ connection, topic, timeMsMax: sendTimeMsMax }, { clock, logger: this.logger });
  }

  /** One that is not there must not be made by a slip of the pen. @throws when there is no such topic */
  async requireTopic(): Promise<void> {
    const { topic } = this.settings;
    const { missing } = await findTopics(this.kafka(), [topic]);
    if (missing.length > 0) throw new Error(`${topic}: the brokers have no such topic`);
  }

  /**
   * A tunnel ends on this machine and leads elsewhere: what counts is what the brokers call themselves.
   * @returns the first of them that is not this machine
   */
  async remoteBroker(): Promise<string | null> {
    const { brokers } = await withAdmin(this.kafka(), (admin) => admin.describeCluster());
    const remote = brokers.find(({ host }) => !isLoopback(host));
    return remote === undefined ? null : `${remote.host}:${remote.port}`;
  }

  async send({ key, headers, value }: EncodedEvent): Promise<SentPlace> {
    const places: SentPlace[] = [];
    await this.producer.withinTime(async () => {
      const acknowledged = await this.producer.send([{ key, headers: { ...headers }, value }]);
      for (const { partition, baseOffset, offset } of acknowledged) {
        places.push({ partition, offset: Number(baseOffset ?? offset) });
      }
    });
    const [place] = places;
    if (place === undefined) throw new Error('the broker did not say where it put the record');
    return place;
  }

  async close(): Promise<void> {
    await this.producer.close();
    this.unsilence();
  }

  private kafka(): Kafka {
    return createKafka(this.settings.connection(), this.logger);
  }
}
