import type { Clock, Logger } from '#platform';

import type { KafkaConnection, KafkaDriver, OutgoingRecord, Producer, PutRecords } from './driver.js';

export interface TopicProducerSettings {
  readonly driver: Pick<KafkaDriver, 'producer'>;
  /** Asked at each connection, so that renewed secrets are used. */
  readonly connection: () => KafkaConnection;
  readonly topic: string;
  /** Within `withinTime`, connecting included. */
  readonly timeMsMax: number;
}

/** Writes to one topic; connects when there is something to write, and anew after a failure. */
export class TopicProducer {
  private producer: Promise<Producer> | null = null;

  constructor(
    private readonly settings: TopicProducerSettings,
    private readonly tools: { readonly clock: Clock; readonly logger: Logger },
  ) {}

  /** Runs `work`, which sends; gives up and closes the connection when it fails or takes too long. */
  async withinTime(work: () => Promise<void>): Promise<void> {
    const done = new AbortController();
    const tooLate = this.tools.clock.sleep(this.settings.timeMsMax, done.signal).then(() => {
      throw new Error('the broker did not acknowledge in time');
    });
    try {
      await Promise.race([work(), tooLate]);
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      done.abort();
      tooLate.catch(() => undefined);
    }
  }

  /**
   * Resolves once every replica has them, with where they lie.
   * @throws {KafkaError}
   */
  async send(records: readonly OutgoingRecord[]): Promise<readonly PutRecords[]> {
    const producer = await (this.producer ??= this.connect());
    return producer.send([{ topic: this.settings.topic, records }]);
  }

  async close(): Promise<void> {
    const producer = this.producer;
    this.producer = null;
    await producer?.then((connected) => connected.close()).catch(() => undefined);
  }

  private connect(): Promise<Producer> {
    const { driver, connection } = this.settings;
    return driver.producer(connection(), this.tools.logger);
  }
}
