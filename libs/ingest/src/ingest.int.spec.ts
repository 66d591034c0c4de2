import type { Message, Producer } from 'kafkajs';
import pg from 'pg';

import { createTopics, kafkaClient, testBroker, testDatabase, testTopics } from '#test-support';

import { eventMessage, purchase } from './testing/cloud-event.js';
import { IngestFixture, sharedKeys } from './testing/ingest-fixture.js';
import { recordingLogger, recordingMetrics } from './testing/recording-log.js';
import { until } from './testing/until.js';

const broker = await testBroker();

interface IntentRow {
  readonly member_id: string;
  readonly seq: number;
  readonly operation: string;
  readonly purchase_id: string | null;
}

describe('ingest', () => {
  const topics = testTopics();
  const { metrics, counts } = recordingMetrics();
  const { logger, lines } = recordingLogger();
  let wakes = 0;
  let client: pg.Client;
  let producer: Producer;
  let fixture: IngestFixture;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    const database = await testDatabase();
    dispose = () => database.dispose();
    await createTopics(broker, topics.all, 1);
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    producer = kafkaClient(broker).producer();
    await producer.connect();
    const { members, purchases, rewards, groupId } = topics;
    fixture = await IngestFixture.start({
      databaseUrl: database.url,
      keys: sharedKeys(),
      kafka: {
        connection: () => ({ brokers: broker.brokers.split(','), clientId: 'loyaltyd-spec' }),
        groupId,
        topics: { members, purchases, rewards },
      },
      settings: { metrics, logger },
    });
    fixture.settings.wake.onNotify(() => {
      wakes += 1;
    });
  });

  afterAll(async () => {
    await fixture.stop();
    await producer.disconnect();
    await client.end();
    await dispose();
  });

  async function send(topic: string, ...messages: Message[]): Promise<void> {
    await producer.send({ topic, messages });
  }

  /** Waits until `result` has been counted `count` times since the test began. */
  function counted(result: string, count: number): Promise<unknown> {
    return until(() => (counts.get(result) ?? 0) >= count);
  }

  async function intentsOf(memberId: string): Promise<IntentRow[]> {
    const { rows } = await client.query<IntentRow>(
      `SELECT m.member_id, i.seq, i.operation, i.purchase_id FROM intent i JOIN member m USING (lane_id)
       WHERE m.member_id = $1 ORDER BY i.seq`,
      [memberId],
    );
    return rows;
  }

  beforeEach(() => {
    counts.clear();
  });

  it('turns an enrolment, a purchase and a reward into intents of the member, and wakes delivery', async () => {
    const data = { memberId: 'm_1' };
    await send(topics.members, eventMessage({ id: 'e1', name: 'loyalty.member.enrolled.v1', data }));
    await counted('recorded', 1);
    await send(topics.purchases, purchase('b1', 'm_1'));
    await counted('recorded', 2);
    await send(topics.rewards, eventMessage({ id: 'r1', name: 'loyalty.reward.granted.v1', data }));
    await counted('recorded', 3);
    const operations = (await intentsOf('m_1')).map(({ operation }) => operation);
    expect(operations).toEqual(['issue', 'transaction', 'reward']);
    expect(wakes).toBe(3);
  });

  it('records an event once, however often it comes', async () => {
    await send(topics.purchases, purchase('b2', 'm_2'), purchase('b2', 'm_2'));
    await counted('duplicate-event', 1);
    await send(topics.purchases, purchase('b2', 'm_2'));
    await counted('duplicate-event', 2);
    expect(await intentsOf('m_2')).toHaveLength(1);
  });

  it('records a purchase once under whatever event ids', async () => {
    await send(topics.purchases, purchase('b3', 'm_3'), purchase('b3-again', 'm_3', { purchaseId: 'p-b3' }));
    await counted('duplicate-business-key', 1);
    expect(await intentsOf('m_3')).toHaveLength(1);
  });

  it('quarantines a purchase that says something else, which leaves no identity behind', async () => {
    await send(topics.purchases, purchase('b4', 'm_4'));
    await counted('recorded', 1);
    const other = { purchaseId: 'p-b4', total: { minor: 1, currency: 'EUR', digits: 2 } };
    await send(topics.purchases, purchase('b4-other', 'm_4', other));
    await counted('quarantine:conflict', 1);
    await send(topics.purchases, purchase('b4-other', 'm_4', { purchaseId: 'p-b4-corrected' }));
    await counted('recorded', 2);
    const numbers = (await intentsOf('m_4')).map((row) => row.purchase_id);
    expect(numbers).toEqual(['p-b4', 'p-b4-corrected']);
  });

  it('quarantines an event id that comes again with another body', async () => {
    await send(topics.purchases, purchase('b5', 'm_5'), purchase('b5', 'm_5', { channel: 'web' }));
    await counted('quarantine:conflict', 1);
    expect(await intentsOf('m_5')).toHaveLength(1);
  });

  it('ignores tombstones and purchases without a member, and counts them', async () => {
    await send(topics.purchases, { key: 'm_6', value: null }, purchase('b6', '', { memberId: null }));
    await counted('tombstone', 1);
    await counted('no-member', 1);
    expect(counts.get('recorded')).toBeUndefined();
  });

  it('takes a purchase that comes before its member', async () => {
    await send(topics.purchases, purchase('b7', 'm_7'));
    await counted('recorded', 1);
    const enrolment = { id: 'e7', name: 'loyalty.member.enrolled.v1', data: { memberId: 'm_7' } } as const;
    await send(topics.members, eventMessage(enrolment));
    await counted('recorded', 2);
    expect((await intentsOf('m_7')).map((row) => [row.seq, row.operation])).toEqual([
      [1, 'transaction'],
      [2, 'issue'],
    ]);
  });

  it('takes more records than one transaction holds, in the order of the topic', async () => {
    const messages = Array.from({ length: 1700 }, (_, index) => purchase(`many-${index}`, 'm_8'));
    await send(topics.purchases, ...messages);
    await counted('recorded', 1700);
    const numbers = (await intentsOf('m_8')).map((row) => row.purchase_id);
    expect(numbers).toEqual(messages.map((_, index) => `p-many-${index}`));
  });

  it('stores personal data only sealed', async () => {
    const { rows } = await client.query<{ payload: Buffer }>('SELECT payload FROM intent');
    expect(rows.some(({ payload }) => payload.includes('ada@example.org'))).toBe(false);
  });

  it('wrote no error to the log', () => {
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
