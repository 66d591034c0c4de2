import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import type { KafkaConnection, OutgoingRecord as KafkaRecord, Producer } from '#kafka';
import { createKafkaDriver } from '#kafka';
import { createLogger } from '#platform';
import type { Encoded } from '#shop';
import { Chance, encode } from '#shop';

import { devTopics } from '../dev/dev-stack.js';
import type { EmittedRecord } from './audit.js';
import type { Draft } from './traffic/draft.js';

/** A record ready to be sent. */
interface OutgoingRecord {
  readonly draft: Draft;
  readonly encoded: Encoded;
}

interface Addressed extends OutgoingRecord {
  readonly topic: string;
  readonly partition: number;
}

/** Sends records in order, all of a member to one partition, and knows afterwards where each of them lies. */
export class EventProducer {
  private readonly connection: KafkaConnection;
  private producer: Producer | null = null;
  private partitions: ReadonlyMap<string, number> = new Map();

  constructor(brokers: string) {
    this.connection = { brokers: [brokers], clientId: 'loyaltyd-demo' };
  }

  async connect(): Promise<void> {
    const driver = createKafkaDriver();
    const logger = createLogger({ level: 'error', service: 'loyaltyd-demo' });
    this.producer = await driver.producer(this.connection, logger);
    const topics = await driver.admin(this.connection, logger, 'usual').topics(Object.values(devTopics));
    this.partitions = new Map([...topics].map(([name, { partitions }]) => [name, partitions]));
  }

  async send(records: readonly OutgoingRecord[]): Promise<readonly EmittedRecord[]> {
    if (this.producer === null) throw new Error('not connected');
    const addressed = records.map((record) => this.address(record));
    const byTopic = Map.groupBy(addressed, ({ topic }) => topic);
    const put = await this.producer.send([...byTopic].map(([topic, some]) => ({ topic, records: some.map(recordOf) })));
    const next = new Map(put.map(({ topic, partition, firstOffset }) => [`${topic}/${partition}`, firstOffset]));
    return addressed.map(({ draft, topic, partition }) => {
      const offset = next.get(`${topic}/${partition}`);
      if (offset === undefined) throw new Error(`the broker did not say where it put records of ${topic}`);
      next.set(`${topic}/${partition}`, offset + 1);
      return { topic, partition, offset, role: draft.role, expectation: draft.expectation };
    });
  }

  async disconnect(): Promise<void> {
    await this.producer?.close();
  }

  private address(record: OutgoingRecord): Addressed {
    const topic = devTopics[record.draft.topic];
    const digest = createHash('sha256')
      .update(record.draft.key ?? '')
      .digest();
    return { ...record, topic, partition: digest.readUInt32BE(0) % (this.partitions.get(topic) ?? 1) };
  }
}

function recordOf({ draft, encoded, partition }: Addressed): KafkaRecord {
  return { key: draft.key, value: encoded.value, headers: encoded.headers, partition };
}

interface PaceOptions {
  readonly eventsPerSecond: number;
  /** Decides the mode, structured or binary, of each record. */
  readonly seed: number;
  readonly signal: AbortSignal;
}

const tickMs = 50;
const sendBatchMax = 500;

/** Hands out what is due by the clock, at most `sendBatchMax` at a time, until there is no more or the signal says stop. */
export async function* paced(
  drafts: Iterable<Draft, void>,
  options: PaceOptions,
): AsyncGenerator<readonly OutgoingRecord[], void, undefined> {
  const { eventsPerSecond, signal } = options;
  const chance = new Chance(options.seed + 1);
  const source = drafts[Symbol.iterator]();
  const begin = performance.now();
  let handedOut = 0;
  while (!signal.aborted) {
    const dueInAll = Math.ceil(((performance.now() - begin) / 1_000) * eventsPerSecond);
    const batch = take(source, Math.min(dueInAll - handedOut, sendBatchMax));
    if (batch === null) return;
    handedOut += batch.length;
    if (batch.length > 0) yield batch.map((draft) => outgoing(draft, chance));
    await delay(tickMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Up to `count` of what is left; null when there is nothing left at all. */
function take(source: Iterator<Draft, void>, count: number): readonly Draft[] | null {
  const taken: Draft[] = [];
  while (taken.length < count) {
    const next = source.next();
    if (next.done === true) return taken.length === 0 ? null : taken;
    taken.push(next.value);
  }
  return taken;
}

function outgoing(draft: Draft, chance: Chance): OutgoingRecord {
  return { draft, encoded: encode(draft.content, chance.happens(0.5) ? 'structured' : 'binary') };
}
