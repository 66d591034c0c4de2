import type { Message } from 'kafkajs';

import { createTopics, kafkaClient, testBroker, testDatabase, testTopics } from '#test-support';

import { eventMessage, purchase } from '../testing/events.js';
import { until } from '../testing/fakes.js';
import { IngestHarness } from '../testing/ingest-harness.js';
import { type ReadMessage, TopicReader } from '#kafka/testing';
import { deadLetterValueBytesMax } from './dead-letters.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);

describe('records that cannot become intents', () => {
  const topics = testTopics();
  let harness: IngestHarness;
  let reader: TopicReader;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    const database = await testDatabase();
    dispose = () => database.dispose();
    await createTopics(broker, topics.all, 1);
    const { groupId } = topics;
    harness = await IngestHarness.open({ kafka, brokers: broker.brokers, databaseUrl: database.url, topics, groupId });
    await harness.start({ deadLetterTopic: topics.deadLetter });
    reader = await TopicReader.open(kafka, topics.deadLetter);
  });

  afterAll(async () => {
    await reader.close();
    await harness.close();
    await dispose();
  });

  /** The dead letters whose original came with this key, once there are `count`. */
  function lettersOf(value: string, count = 1): Promise<ReadMessage[]> {
    return until(() => {
      const found = reader.messages.filter((message) => message.value === value);
      return found.length >= count && found;
    });
  }

  const cloudEvent = { 'content-type': 'application/cloudevents+json' };
  const enrolment = (id: string, more: object): ReturnType<typeof eventMessage> =>
    eventMessage({ id, name: 'loyalty.member.enrolled.v1', ...more });

  it.each([
    { reason: 'unreadable', message: { value: '{"specversion":', headers: cloudEvent }, detail: 'value: not JSON' },
    { reason: 'unreadable', message: { value: '{"hello":"world"}' }, detail: 'headers: neither' },
    {
      reason: 'invalid',
      message: purchase('1', 'm_1', { total: { minor: -1, currency: 'EUR' } }),
      detail: 'data.total',
    },
    { reason: 'invalid', message: enrolment('2', { frame: { time: 'soon' } }), detail: 'time: ' },
    {
      reason: 'not-allowed',
      message: enrolment('7', {}),
      detail: 'type: the topic of purchases may not say loyalty.member.enrolled.v1',
    },
    { reason: 'unsupported-type', message: enrolment('3', { frame: { type: 'x.y.v1' } }), detail: 'type: ' },
    { reason: 'unknown-program', message: purchase('4', 'm_1', { program: 'tea-club' }), detail: 'data.program: ' },
    {
      reason: 'unroutable',
      message: purchase('5', 'm_1', { total: { minor: 1, currency: 'USD' } }),
      detail: 'currency',
    },
    {
      reason: 'unroutable',
      message: enrolment('6', { data: { tier: 'platinum' } }),
      detail: 'data.tier: ',
      topic: topics.members,
    },
  ])('$reason ($detail): is set aside and published', async ({ reason, message, detail, topic = topics.purchases }) => {
    await harness.send(topic, { key: 'm_1', ...message });
    const [letter] = await lettersOf(String(message.value));
    expect(letter?.headers).toMatchObject({
      'x-original-topic': topic,
      'x-original-partition': '0',
      'x-reason': reason,
      'x-detail': expect.stringContaining(detail) as string,
    });
    expect(letter?.headers['x-truncated']).toBeUndefined();
    const [row] = await harness.rows<{ reason: string; offset: string; id: string }>(
      'SELECT reason, kafka_offset::text AS offset, quarantine_id::text AS id FROM quarantine ORDER BY quarantine_id DESC LIMIT 1',
    );
    expect(row).toEqual({ reason, offset: letter?.headers['x-original-offset'], id: letter?.key });
  });

  it('conflict: the second of two different bodies is published', async () => {
    const other = purchase('same', 'm_2', { storeId: 'web' });
    await harness.send(topics.purchases, purchase('same', 'm_2'), other);
    const [letter] = await lettersOf(String(other.value));
    expect(letter?.headers).toMatchObject({ 'x-reason': 'conflict', ...cloudEvent });
  });

  it('leaves out a value that is too large for a topic', async () => {
    const value = 'x'.repeat(deadLetterValueBytesMax + 1);
    await harness.send(topics.purchases, { key: 'm_3', value, headers: cloudEvent });
    const letter = await until(() => reader.messages.find((message) => message.headers['x-truncated'] === 'true'));
    expect(letter.value).toBeNull();
    expect(letter.headers['x-reason']).toBe('unreadable');
  });

  it('are published once each, and the outbox is empty in the end', async () => {
    await until(async () => (await harness.countOf('dead_letter_outbox')) === 0);
    const ids = reader.messages.map((message) => message.key);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(await harness.countOf('quarantine'));
  });

  it('are stored sealed', async () => {
    const rows = await harness.rows<{ sealed_value: Buffer }>('SELECT sealed_value FROM quarantine');
    expect(rows.filter((row) => row.sealed_value.includes('specversion'))).toEqual([]);
  });
});

/** Stands in the key, in headers, in values: wherever a producer may put something personal. */
const planted = 'Ada-Lovelace-4711';

/** Records of every kind that is set aside, and two that are taken in: binary mode alone reads `ce_id`. */
function plantedRecords(): readonly Message[] {
  const cloudEvent = { 'content-type': 'application/cloudevents+json' };
  const person = { firstName: planted, email: `${planted}@example.org` };
  const enrolment = (id: string, more: { readonly frame?: object; readonly data?: object }): Message =>
    eventMessage({ id, name: 'loyalty.member.enrolled.v1', ...more, data: { person, ...more.data } });
  return [
    { value: `{"specversion":"${planted}`, headers: cloudEvent },
    { value: `${planted}, no event` },
    { value: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(planted)]), headers: cloudEvent },
    { ...purchase('1', planted), headers: { ...cloudEvent, note: planted, ce_id: Buffer.from([0x62, 0xff]) } },
    purchase('2', planted, { total: { minor: -1, currency: planted } }),
    enrolment('3', { frame: { time: planted } }),
    enrolment('4', { frame: { type: `${planted}.v1` } }),
    purchase('5', planted, { program: planted }),
    purchase('6', planted, { total: { minor: 1, currency: 'USD' } }),
    enrolment('7', { data: { tier: planted } }),
    purchase('same', planted),
    purchase('same', planted, { total: { minor: 1, currency: 'EUR', digits: 2 }, note: planted }),
    { value: `${planted} ${'x'.repeat(deadLetterValueBytesMax)}`, headers: cloudEvent },
    { value: planted, headers: { [planted]: 'x'.repeat(70_000) } },
    { value: null, headers: { 'x-original-topic': planted } },
  ].map((message) => ({ ...message, key: planted }));
}
const takenIn = 2;

describe('with `none`', () => {
  it('dead letters hold nothing of the record, whatever was wrong with it, but its fingerprint', async () => {
    const topics = testTopics();
    const { url: databaseUrl, dispose } = await testDatabase();
    await createTopics(broker, topics.all, 1);
    const { groupId } = topics;
    const harness = await IngestHarness.open({ kafka, brokers: broker.brokers, databaseUrl, topics, groupId });
    const reader = await TopicReader.open(kafka, topics.deadLetter);
    const records = plantedRecords();
    await harness.send(topics.purchases, ...records);
    await harness.start({ deadLetterTopic: topics.deadLetter, deadLetterValue: 'none' });
    await until(() => reader.messages.length >= records.length - takenIn, 60_000);
    const rows = await harness.rows<{ reason: string }>('SELECT reason FROM quarantine ORDER BY quarantine_id');
    expect(rows).toHaveLength(records.length - takenIn);
    expect(new Set(rows.map(({ reason }) => reason)).size).toBeGreaterThan(5);
    expect(reader.messages.map(({ headers }) => headers['x-reason'])).toEqual(rows.map(({ reason }) => reason));
    expect(JSON.stringify(reader.messages)).not.toContain(planted);
    const origin = ['x-original-topic', 'x-original-partition', 'x-original-offset', 'x-reason', 'x-fingerprint'];
    for (const { value, headers } of reader.messages) {
      expect({ value, names: Object.keys(headers).toSorted() }).toEqual({ value: null, names: origin.toSorted() });
    }
    expect(new Set(reader.messages.map(({ headers }) => headers['x-fingerprint'])).size).toBe(rows.length);
    await until(async () => (await harness.countOf('dead_letter_outbox')) === 0);
    await reader.close();
    await harness.close();
    await dispose();
  });
});

describe('without a topic for them', () => {
  it('dead letters are not queued: nothing is published of before when the topic is turned on', async () => {
    const topics = testTopics();
    const { url: databaseUrl, dispose } = await testDatabase();
    await createTopics(broker, topics.all, 1);
    const { groupId } = topics;
    const harness = await IngestHarness.open({ kafka, brokers: broker.brokers, databaseUrl, topics, groupId });
    await harness.start({ deadLetterTopic: null });
    await harness.send(topics.purchases, { value: 'no event' });
    await harness.hasCounted('quarantined', 1);
    expect([await harness.countOf('quarantine'), await harness.countOf('dead_letter_outbox')]).toEqual([1, 0]);
    await harness.close();
    await dispose();
  });
});

describe('two replicas publishing at once', () => {
  it('publish each dead letter once', async () => {
    const topics = testTopics();
    const { url: databaseUrl, dispose } = await testDatabase();
    await createTopics(broker, topics.all, 1);
    const { groupId } = topics;
    const harness = await IngestHarness.open({ kafka, brokers: broker.brokers, databaseUrl, topics, groupId });
    await harness.start();
    const count = 350;
    await harness.send(
      topics.purchases,
      ...Array.from({ length: count }, (_, index) => ({ value: `no event ${index}` })),
    );
    await harness.hasCounted('quarantined', count);
    await harness.stopAll();
    // As if they had been set aside with the topic on, and nobody had come to publish them.
    await harness.rows('INSERT INTO dead_letter_outbox SELECT quarantine_id FROM quarantine');
    const publishing = { deadLetterTopic: topics.deadLetter, deadLetterValue: 'none' } as const;
    await Promise.all([harness.start(publishing), harness.start(publishing)]);
    const reader = await TopicReader.open(kafka, topics.deadLetter);
    await until(async () => (await harness.countOf('dead_letter_outbox')) === 0);
    await until(() => reader.messages.length >= count);
    await harness.close();
    expect(new Set(reader.messages.map(({ key }) => key)).size).toBe(count);
    expect(reader.messages).toHaveLength(count);
    expect(reader.messages.filter(({ value }) => value !== null)).toEqual([]);
    await reader.close();
    await dispose();
  });
});
