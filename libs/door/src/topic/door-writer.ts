import type { OnApplicationShutdown } from '@nestjs/common';
import { Injectable } from '@nestjs/common';

import type { OutgoingRecord, Producer } from '#kafka';
import { isTooLarge, KafkaDriver, kafkaProblem } from '#kafka';
import type { ApiProblem } from '#operations';
import { Clock, Logger } from '#platform';

import { refused } from '../door-limits.js';
import { DoorSettings } from '../door-settings.js';
import type { Durability } from './durability.js';
import { durabilityOf, tooFewRemedy } from './durability.js';

/** A record with its key. */
export type KeyedRecord = OutgoingRecord & { readonly key: string };

/** Where a record lies. */
export interface WrittenRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Its timestamp, epoch ms. */
  readonly at: number;
}

/** So long what was found of a topic counts. */
const durabilityFreshMs = 60_000;
const awayRetrySeconds = 5;

/** Kafka did not say that it has them. They may be there all the same: who sends them again changes nothing. */
function away(detail: string): ApiProblem {
  return refused(503, 'kafka-away', 'Kafka has not acknowledged it', { detail, retrySeconds: awayRetrySeconds });
}

interface Looked {
  readonly durability: Promise<Durability>;
  readonly at: number;
}

/**
 * Writes to the topics of sources on a connection of its own, and knows no table. What is acknowledged is on every replica that is in
 * sync; the topic must want two of them, unless the cluster has one broker.
 */
@Injectable()
export class DoorWriter implements OnApplicationShutdown {
  private producer: Promise<Producer> | null = null;
  private readonly looked = new Map<string, Looked>();

  constructor(
    private readonly settings: DoorSettings,
    private readonly driver: KafkaDriver,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Those of one key keep their order.
   * @returns where each lies
   * @throws {ApiProblem} 413 where the topic takes none so large, else 503
   */
  async write(topic: string, records: readonly KeyedRecord[]): Promise<readonly WrittenRecord[]> {
    const done = new AbortController();
    const tooLate = this.clock.sleep(this.settings.limits.acknowledgedMsMax, done.signal).then(() => {
      // What hangs is not waited for again.
      void this.close(this.producer);
      throw away('It did not answer in time. Send it again: what came twice is once.');
    });
    try {
      return await Promise.race([this.send(topic, records), tooLate]);
    } finally {
      done.abort();
      tooLate.catch(() => undefined);
    }
  }

  /** Nothing is under way any more: the server has closed before. */
  async onApplicationShutdown(): Promise<void> {
    await this.close(this.producer);
  }

  private async send(topic: string, records: readonly KeyedRecord[]): Promise<readonly WrittenRecord[]> {
    await this.requireKept(topic);
    const producer = (this.producer ??= this.connect());
    const places = new Map<KeyedRecord, WrittenRecord>();
    const sendAlike = async (alike: readonly KeyedRecord[]): Promise<void> => {
      const sentAt = this.clock.now();
      const [put] = await (await producer).send([{ topic, records: alike.map((record) => ({ ...record, sentAt })) }]);
      if (put === undefined) throw away('It did not say where.');
      const { partition, firstOffset, appendedAt } = put;
      alike.forEach((record, index) => {
        places.set(record, { topic, partition, offset: firstOffset + index, at: appendedAt ?? sentAt });
      });
    };
    try {
      // All of one key go into one partition, which says where the first lies.
      await Promise.all([...Map.groupBy(records, ({ key }) => key).values()].map(sendAlike));
    } catch (error) {
      throw await this.problemOf(error, producer, topic);
    }
    return records.flatMap((record) => places.get(record) ?? []);
  }

  /** Rejects also where there is no way to Kafka yet, such as a token. */
  private async connect(): Promise<Producer> {
    return this.driver.producer(this.settings.connection(), this.logger);
  }

  private async problemOf(error: unknown, producer: Promise<Producer>, topic: string): Promise<ApiProblem> {
    if (isTooLarge(error)) {
      return refused(413, 'record-too-large', 'The topic takes no record as large as this', {
        detail: `max.message.bytes of ${topic}`,
      });
    }
    await this.close(producer);
    const { kind, code, broker } = kafkaProblem(error);
    this.logger.warn({ topic, kind, code, broker }, 'the door cannot write to Kafka');
    return away('Send it again: what came twice is once.');
  }

  /** The next one to write connects anew. */
  private async close(producer: Promise<Producer> | null): Promise<void> {
    if (producer === this.producer) this.producer = null;
    await producer?.then((connected) => connected.close()).catch(() => undefined);
  }

  private async requireKept(topic: string): Promise<void> {
    const now = this.clock.monotonic();
    const known = this.looked.get(topic);
    const looked =
      known !== undefined && now - known.at < durabilityFreshMs ? known : { durability: this.lookAt(topic), at: now };
    this.looked.set(topic, looked);
    const durability = await looked.durability;
    if (durability !== 'too-few') return;
    throw refused(503, 'not-kept', 'The topic would acknowledge what one broker alone has', {
      detail: `Set min.insync.replicas of ${topic} to 2 at least.`,
      retrySeconds: durabilityFreshMs / 1_000,
    });
  }

  private async lookAt(topic: string): Promise<Durability> {
    const ask = async (): Promise<Durability> =>
      durabilityOf(this.driver.admin(this.settings.connection(), this.logger, 'once'), topic);
    const durability = await ask().catch((error: unknown): Durability => {
      // Many installations do not let us ask; while Kafka is away the write itself says so.
      this.logger.warn(
        { topic, ...kafkaProblem(error) },
        'it is not known how many replicas acknowledge what the door writes',
      );
      this.looked.delete(topic);
      return 'unknown';
    });
    if (durability === 'too-few') {
      this.logger.error(
        { topic, remedy: tooFewRemedy(topic) },
        'the door takes nothing: one replica alone may acknowledge',
      );
    } else if (durability === 'alone') {
      this.logger.warn({ topic }, 'the cluster has one broker: what the door acknowledges is lost with it');
    }
    return durability;
  }
}
