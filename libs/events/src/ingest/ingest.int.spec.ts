import { createTopics, kafkaClient, testBroker, testDatabase, testTopics } from '#test-support';

import { eventMessage, purchase } from './testing/events.js';
import { IngestHarness } from './testing/ingest-harness.js';
import { recordingLogger } from './testing/fakes.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);

interface IntentRow {
  readonly seq: number;
  readonly operation: string;
  readonly purchase_id: string | null;
}

describe('ingest', () => {
  const topics = testTopics();
  const { logger, lines } = recordingLogger();
  let wakes = 0;
  let harness: IngestHarness;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    const database = await testDatabase();
    dispose = () => database.dispose();
    await createTopics(broker, topics.all, 1);
    const { groupId } = topics;
    harness = await IngestHarness.open({ kafka, brokers: broker.brokers, databaseUrl: database.url, topics, groupId });
    const { settings } = await harness.start({}, { settings: { logger } });
    settings.wake.onNotify(() => {
      wakes += 1;
    });
  });

  afterAll(async () => {
    await harness.close();
    await dispose();
  });

  beforeEach(() => {
    harness.counted.counts.clear();
  });

  function intentsOf(memberId: string): Promise<IntentRow[]> {
    const text = `SELECT i.seq, i.operation, i.purchase_id FROM intent i JOIN member m USING (lane_id)
      WHERE m.member_id = $1 ORDER BY i.seq`;
    return harness.rows<IntentRow>(text, memberId);
  }

  it('turns an enrolment, a purchase and a reward into intents of the member, and wakes delivery', async () => {
    const data = { memberId: 'm_1' };
    await harness.send(topics.members, eventMessage({ id: 'e1', name: 'loyalty.member.enrolled.v1', data }));
    await harness.hasCounted('recorded', 1);
    await harness.send(topics.purchases, purchase('b1', 'm_1'));
    await harness.hasCounted('recorded', 2);
    await harness.send(topics.rewards, eventMessage({ id: 'r1', name: 'loyalty.reward.granted.v1', data }));
    await harness.hasCounted('recorded', 3);
    const operations = (await intentsOf('m_1')).map(({ operation }) => operation);
    expect(operations).toEqual(['issue', 'transaction', 'reward']);
    expect(wakes).toBe(3);
  });

  it('records an event once, however often it comes', async () => {
    await harness.send(topics.purchases, purchase('b2', 'm_2'), purchase('b2', 'm_2'));
    await harness.hasCounted('duplicate-event', 1);
    await harness.send(topics.purchases, purchase('b2', 'm_2'));
    await harness.hasCounted('duplicate-event', 2);
    expect(await intentsOf('m_2')).toHaveLength(1);
  });

  it('records a purchase once under whatever event ids', async () => {
    await harness.send(topics.purchases, purchase('b3', 'm_3'), purchase('b3-again', 'm_3', { purchaseId: 'p-b3' }));
    await harness.hasCounted('duplicate-business-key', 1);
    expect(await intentsOf('m_3')).toHaveLength(1);
  });

  it('quarantines a purchase that says something else, which leaves no identity behind', async () => {
    await harness.send(topics.purchases, purchase('b4', 'm_4'));
    await harness.hasCounted('recorded', 1);
    const other = { purchaseId: 'p-b4', total: { minor: 1, currency: 'EUR', digits: 2 } };
    await harness.send(topics.purchases, purchase('b4-other', 'm_4', other));
    await harness.hasCounted('quarantine:conflict', 1);
    await harness.send(topics.purchases, purchase('b4-other', 'm_4', { purchaseId: 'p-b4-corrected' }));
    await harness.hasCounted('recorded', 2);
    const numbers = (await intentsOf('m_4')).map((row) => row.purchase_id);
    expect(numbers).toEqual(['p-b4', 'p-b4-corrected']);
  });

  it('quarantines an event id that comes again with another amount, and knows one with a field more', async () => {
    const other = purchase('b5', 'm_5', { total: { minor: 1, currency: 'EUR', digits: 2 } });
    await harness.send(topics.purchases, purchase('b5', 'm_5'), purchase('b5', 'm_5', { channel: 'web' }), other);
    await harness.hasCounted('duplicate-event', 1);
    await harness.hasCounted('quarantine:conflict', 1);
    expect(await intentsOf('m_5')).toHaveLength(1);
  });

  it('ignores tombstones and purchases without a member, and counts them', async () => {
    await harness.send(topics.purchases, { key: 'm_6', value: null }, purchase('b6', '', { memberId: null }));
    await harness.hasCounted('tombstone', 1);
    await harness.hasCounted('no-member', 1);
    expect(harness.counted.counts.get('recorded')).toBeUndefined();
  });

  it('takes what is not keyed by its member, and counts it', async () => {
    await harness.send(
      topics.purchases,
      { ...purchase('k1', 'm_k'), key: 'till-3' },
      { ...purchase('k2', 'm_k'), key: null },
    );
    await harness.hasCounted('recorded', 2);
    expect([harness.counted.counts.get('key:other'), harness.counted.counts.get('key:none')]).toEqual([1, 1]);
  });

  it('takes a purchase that comes before its member', async () => {
    await harness.send(topics.purchases, purchase('b7', 'm_7'));
    await harness.hasCounted('recorded', 1);
    const enrolment = { id: 'e7', name: 'loyalty.member.enrolled.v1', data: { memberId: 'm_7' } } as const;
    await harness.send(topics.members, eventMessage(enrolment));
    await harness.hasCounted('recorded', 2);
    expect((await intentsOf('m_7')).map((row) => [row.seq, row.operation])).toEqual([
      [1, 'transaction'],
      [2, 'issue'],
    ]);
  });

  it('ignores an update that is older than the last one of its member', async () => {
    const updated = (id: string, sequence: string) =>
      eventMessage({ id, name: 'loyalty.member.updated.v1', data: { memberId: 'm_9' }, frame: { sequence } });
    await harness.send(topics.members, updated('u1', '10'), updated('u2', '9'), updated('u3', '11'));
    await harness.hasCounted('recorded', 2);
    await harness.hasCounted('stale', 1);
    expect(await intentsOf('m_9')).toHaveLength(2);
  });

  it('takes nothing by another subject’s topic, and holds no number of it', async () => {
    const data = { memberId: 'm_11', purchaseId: 'P-11' };
    const sale = eventMessage({ id: 's11', name: 'loyalty.purchase.completed.v1', data });
    await harness.send(topics.members, sale);
    await harness.hasCounted('quarantined', 1);
    expect(await harness.rows(`SELECT reason, number_key FROM quarantine WHERE reason = 'not-allowed'`)).toEqual([
      { reason: 'not-allowed', number_key: null },
    ]);
    expect(await intentsOf('m_11')).toEqual([]);
    await harness.send(topics.purchases, sale);
    await harness.hasCounted('recorded', 1);
    expect(await intentsOf('m_11')).toHaveLength(1);
  });

  it('erases a member who asks for it, and takes what comes for the same member afterwards', async () => {
    const data = { memberId: 'm_10' };
    await harness.send(topics.members, eventMessage({ id: 'e10', name: 'loyalty.member.enrolled.v1', data }));
    await harness.hasCounted('recorded', 1);
    const [before] = await harness.rows<{ wrapped_key: Buffer }>(
      'SELECT wrapped_key FROM member_key JOIN member USING (lane_id) WHERE member_id = $1',
      'm_10',
    );
    const leaving = { ...data, scope: 'program', erase: true };
    await harness.send(topics.members, eventMessage({ id: 'x10', name: 'loyalty.member.opted-out.v1', data: leaving }));
    await harness.hasCounted('recorded', 2);
    const frame = { time: '2026-11-21T10:20:00+01:00' };
    await harness.send(topics.members, eventMessage({ id: 'e11', name: 'loyalty.member.enrolled.v1', data, frame }));
    await harness.hasCounted('recorded', 3);
    const [after] = await harness.rows<{ wrapped_key: Buffer; erased_seq: number; generation: number }>(
      'SELECT wrapped_key, erased_seq, generation FROM member_key JOIN member USING (lane_id) WHERE member_id = $1',
      'm_10',
    );
    expect(after).toMatchObject({ erased_seq: 1, generation: 2 });
    expect(after?.wrapped_key).not.toEqual(before?.wrapped_key);
    expect((await intentsOf('m_10')).map(({ operation }) => operation)).toEqual([
      'issue',
      'update-via-workflow',
      'issue',
    ]);
  });

  it('takes more records than one transaction holds, in the order of the topic', async () => {
    const messages = Array.from({ length: 1700 }, (_, index) => purchase(`many-${index}`, 'm_8'));
    await harness.send(topics.purchases, ...messages);
    await harness.hasCounted('recorded', 1700);
    const numbers = (await intentsOf('m_8')).map((row) => row.purchase_id);
    expect(numbers).toEqual(messages.map((_, index) => `p-many-${index}`));
  });

  it('stores personal data only sealed', async () => {
    const rows = await harness.rows<{ payload: Buffer }>('SELECT payload FROM intent');
    expect(rows.some(({ payload }) => payload.includes('ada@example.org'))).toBe(false);
  });

  it('wrote no error to the log', () => {
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
