import type { BackgroundLoop } from '#platform';
import type { OutcomeEventName } from '#contracts';
import { OUTCOME_EVENT_SCHEMAS } from '#contracts';
import { createKafkaDriver } from '#kafka';
import { MemberKeys } from '#intents';
import { LocalWake, SystemClock, SystemRandom } from '#platform';
import type { TestTopics } from '#test-support';
import { createTopics, kafkaClient, testBroker, testDatabase, testTopics } from '#test-support';

import { eventMessage, purchase } from '../testing/events.js';
import { recordingLogger, until } from '../testing/fakes.js';
import { openDatabase } from '../testing/ingest-fixture.js';
import { IngestHarness } from '../testing/ingest-harness.js';
import { brokerLine, type BrokerLine, type ReadMessage, TopicReader } from '#kafka/testing';
import { createOutcomes } from './outcomes.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);
const checkpoint = `SELECT pos FROM projection_checkpoint WHERE name = 'outcomes'`;

interface CloudEvent {
  readonly id: string;
  readonly type: OutcomeEventName;
  readonly sequence: string;
  readonly data: Record<string, unknown>;
}

describe('the outcomes topic', () => {
  let topics: TestTopics;
  let harness: IngestHarness;
  let reader: TopicReader;
  let line: BrokerLine;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  let dispose: () => Promise<void>;
  const running: BackgroundLoop[] = [];
  const { logger, lines } = recordingLogger();
  const published = new Map<string, number>();

  beforeEach(async () => {
    const test = await testDatabase();
    dispose = () => test.dispose();
    topics = testTopics();
    await createTopics(broker, topics.all, 2);
    const { groupId } = topics;
    harness = await IngestHarness.open({ kafka, brokers: broker.brokers, databaseUrl: test.url, topics, groupId });
    database = await openDatabase(test.url, 3);
    reader = await TopicReader.open(kafka, topics.outcomes);
    line = await brokerLine(broker.brokers);
    lines.length = 0;
    published.clear();
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((loop) => loop.stop()));
    await reader.close();
    await harness.close();
    await database.source.destroy();
    await line.proxy.close();
    await dispose();
  });

  /** One more process that publishes. */
  function publisher(topic: string | null = topics.outcomes): BackgroundLoop {
    const random = new SystemRandom();
    const loop = createOutcomes({
      driver: createKafkaDriver(),
      connection: line.connection,
      topic,
      database: database.database,
      keys: new MemberKeys(harness.keys.keyring, random),
      clock: new SystemClock(),
      random,
      logger,
      wake: new LocalWake(),
      onPublished: (type, count) => {
        published.set(type, (published.get(type) ?? 0) + count);
      },
    });
    running.push(loop);
    loop.start();
    return loop;
  }

  async function stop(loop: BackgroundLoop): Promise<void> {
    running.splice(running.indexOf(loop), 1);
    await loop.stop();
  }

  /** Purchases of these members, recorded by ingest. */
  async function sell(...memberIds: readonly string[]): Promise<void> {
    const ingest = await harness.start();
    const before = harness.counted.counts.get('recorded') ?? 0;
    await harness.send(topics.purchases, ...memberIds.map((memberId) => purchase(`of-${memberId}`, memberId)));
    await harness.hasCounted('recorded', before + memberIds.length);
    await harness.stop(ingest);
  }

  /** The partner has applied what these members' first intents ask for. */
  async function deliver(...memberIds: readonly string[]): Promise<void> {
    await harness.rows(
      `WITH bumped AS (UPDATE lane l SET version = version + 1 FROM member m
         WHERE m.lane_id = l.lane_id AND m.member_id = ANY ($1) RETURNING l.lane_id, l.version)
       INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
       SELECT lane_id, 1, version, 1, 0, 'AttemptApplied', clock_timestamp() FROM bumped ORDER BY lane_id`,
      memberIds,
    );
  }

  const eventOf = ({ value }: ReadMessage): CloudEvent => JSON.parse(value ?? '') as CloudEvent;
  const keys = (): string[] => reader.messages.map(({ key }) => key ?? '').toSorted();

  it('carries CloudEvents keyed by their member, as the schemas say', async () => {
    await sell('m_1', 'm_2');
    publisher();
    await deliver('m_1', 'm_2');
    await until(() => reader.messages.length >= 2);
    expect(keys()).toEqual(['m_1', 'm_2']);
    for (const message of reader.messages) {
      expect(message.headers['content-type']).toBe('application/cloudevents+json');
      const event = eventOf(message);
      expect(event).toMatchObject({
        ...{ specversion: '1.0', source: '/loyaltyd', type: 'loyalty.intent.delivered.v1', subject: message.key },
        ...{ sequence: '2', datacontenttype: 'application/json', time: expect.stringMatching(/^20.*Z$/) as string },
      });
      expect(OUTCOME_EVENT_SCHEMAS[event.type].parse(event.data)).toEqual(event.data);
      expect(event.data).toMatchObject({ cause: { topic: topics.purchases }, purchaseId: `p-of-${message.key}` });
    }
    await until(() => published.get('loyalty.intent.delivered.v1') === 2);
  });

  it('gets everything once its broker is back, in order, and nothing is loaded meanwhile', async () => {
    const memberIds = Array.from({ length: 40 }, (_, index) => `m_${index}`);
    await sell(...memberIds);
    publisher();
    await deliver('m_0');
    await until(() => reader.messages.length === 1);
    line.proxy.cut();
    for (let round = 0; round < 3; round += 1) await deliver(...memberIds);
    await until(() => lines.some(({ message }) => message === 'outcomes were not published'), 40_000);
    line.proxy.heal();
    await until(() => new Set(reader.messages.map((message) => eventOf(message).id)).size === 121, 60_000);
    for (const memberId of memberIds.slice(1)) {
      const own = reader.messages.filter(({ key }) => key === memberId).map((message) => eventOf(message).sequence);
      expect([...new Set(own)]).toEqual(['2', '3', '4']);
    }
  });

  it('goes on with another process when one ends, and repeats nothing that was acknowledged', async () => {
    await sell('m_1', 'm_2', 'm_3');
    const first = publisher();
    await deliver('m_1');
    await until(() => reader.messages.length === 1);
    publisher();
    await stop(first);
    await deliver('m_2', 'm_3');
    await until(() => reader.messages.length >= 3);
    expect(keys()).toEqual(['m_1', 'm_2', 'm_3']);
  });

  it('stays empty when it is turned off, also of what happened meanwhile', async () => {
    await sell('m_1', 'm_2');
    const off = publisher(null);
    await until(async () => {
      const [row] = await harness.rows<{ pos: string | null }>(checkpoint);
      return row?.pos === null;
    });
    await deliver('m_1');
    await stop(off);
    publisher();
    await until(async () => {
      const [row] = await harness.rows<{ pos: string | null }>(checkpoint);
      return row?.pos !== null;
    });
    await deliver('m_2');
    await until(() => reader.messages.length >= 1);
    expect(keys()).toEqual(['m_2']);
  });

  it('is told that an enrolment was parked as it came in, by a process without the delivery role', async () => {
    const ingest = await harness.start();
    await harness.send(topics.members, eventMessage({ id: 'x', name: 'loyalty.member.merged.v1' }));
    await harness.hasCounted('recorded', 1);
    await harness.stop(ingest);
    publisher();
    await until(() => reader.messages.length >= 1);
    expect(eventOf(reader.messages[0]!)).toMatchObject({
      type: 'loyalty.intent.parked.v1',
      data: { reason: 'merged', holdsLane: false },
    });
  });
});
