import { isLoopback } from '#contracts';
import { type Admin, type KafkaConnection, type KafkaDriver, type OutgoingRecord, TopicProducer } from '#kafka';
import type { Clock, Logger } from '#platform';

/** Connecting and one send may take so long together. */
const sendTimeMsMax = 30_000;

/** Where a record lies. */
export interface SentPlace {
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
export class RecordSender {
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

  async send(record: OutgoingRecord): Promise<SentPlace> {
    const places: SentPlace[] = [];
    await this.producer.withinTime(async () => {
      for (const { partition, firstOffset } of await this.producer.send([record])) {
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
