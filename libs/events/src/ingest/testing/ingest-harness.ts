import type { Kafka, Message, Producer } from 'kafkajs';
import pg from 'pg';

import type { IngestKafkaSettings } from '../ingest.module.js';
import { recordingMetrics, until, type RecordingMetrics } from './fakes.js';
import type { FixtureOptions, SharedKeys } from './ingest-fixture.js';
import { IngestFixture, sharedKeys } from './ingest-fixture.js';

interface RigOptions {
  readonly kafka: Kafka;
  readonly brokers: string;
  readonly databaseUrl: string;
  readonly topics: { readonly members: string; readonly purchases: string; readonly rewards: string };
  readonly groupId: string;
}

/** What specs against a real broker and database share: producing, looking behind, starting replicas. */
export class IngestHarness {
  readonly keys: SharedKeys = sharedKeys();
  /** Of all replicas together, unless a replica is given its own. */
  readonly counted: RecordingMetrics = recordingMetrics();
  private readonly running: IngestFixture[] = [];

  private constructor(
    readonly options: RigOptions,
    private readonly producer: Producer,
    private readonly client: pg.Client,
  ) {}

  static async open(options: RigOptions): Promise<IngestHarness> {
    const producer = options.kafka.producer();
    const client = new pg.Client({ connectionString: options.databaseUrl });
    await Promise.all([producer.connect(), client.connect()]);
    return new IngestHarness(options, producer, client);
  }

  async close(): Promise<void> {
    await this.stopAll();
    await Promise.all([this.producer.disconnect(), this.client.end()]);
  }

  /** One more replica. */
  async start(
    more: Partial<IngestKafkaSettings> = {},
    options: Partial<Omit<FixtureOptions, 'kafka'>> = {},
  ): Promise<IngestFixture> {
    const { brokers, databaseUrl, topics, groupId } = this.options;
    const connection = (): { brokers: string[]; clientId: string } => ({
      brokers: brokers.split(','),
      clientId: 'loyaltyd-spec',
    });
    const { members, purchases, rewards } = topics;
    const kafka = { connection, groupId, topics: { members, purchases, rewards }, ...more };
    const settings = { metrics: this.counted.metrics, ...options.settings };
    const fixture = await IngestFixture.start({ databaseUrl, keys: this.keys, ...options, kafka, settings });
    this.running.push(fixture);
    return fixture;
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.running.splice(0).map((fixture) => fixture.stop()));
  }

  async stop(fixture: IngestFixture): Promise<void> {
    this.running.splice(this.running.indexOf(fixture), 1);
    await fixture.stop();
  }

  async send(topic: string, ...messages: Message[]): Promise<void> {
    await this.producer.send({ topic, messages });
  }

  /** With a producer that knows no outdated metadata. */
  async sendAnew(topic: string, ...messages: Message[]): Promise<void> {
    const producer = this.options.kafka.producer();
    await producer.connect();
    await producer.send({ topic, messages });
    await producer.disconnect();
  }

  /** Waits until `result` has been counted `count` times. */
  async hasCounted(result: string, count: number, timeoutMs?: number): Promise<void> {
    await until(() => (this.counted.counts.get(result) ?? 0) >= count, timeoutMs);
  }

  async rows<Row extends object>(text: string, ...parameters: unknown[]): Promise<Row[]> {
    return (await this.client.query<Row>(text, parameters)).rows;
  }

  async countOf(table: string): Promise<number> {
    const [row] = await this.rows<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
    return row?.count ?? -1;
  }

  /** Purchase numbers of all intents, in the order of each member's lane. */
  async purchaseIds(): Promise<string[]> {
    const rows = await this.rows<{ purchase_id: string }>('SELECT purchase_id FROM intent ORDER BY lane_id, seq');
    return rows.map((row) => row.purchase_id);
  }
}
