import { generateKeyPairSync } from 'node:crypto';

import type { Message } from 'kafkajs';

import { createTopics, kafkaClient, testBroker, testDatabase, testTopics } from '#test-support';

import { eventMessage, purchase } from '../testing/events.js';
import { until } from '../testing/fakes.js';
import { IngestHarness } from '../testing/ingest-harness.js';
import { type ReadMessage, TopicReader } from '../testing/kafka.js';
import { encryptedValueBytesMax } from './dead-letters.js';
import type { OpenedLetter } from './encrypted-letter.js';
import { letterOpener } from './encrypted-letter.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);
const pem = { type: 'spki', format: 'pem' } as const;
const { publicKey, privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: pem,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** Stands in the key, in headers, in values: wherever a producer may put something personal. */
const planted = 'Ada-Lovelace-4711';
const cloudEvent = { 'content-type': 'application/cloudevents+json' };
const person = { firstName: planted, email: `${planted}@example.org` };

const enrolment = (id: string, more: object): Message =>
  eventMessage({
    id,
    name: 'loyalty.member.enrolled.v1',
    ...more,
    data: { person, ...(more as { data?: object }).data },
  });

/** What is set aside, of every kind. */
const bad: readonly Message[] = [
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
  purchase('same', planted, { channel: 'web', note: planted }),
  { value: `${planted} ${'x'.repeat(encryptedValueBytesMax)}`, headers: cloudEvent },
  { value: planted, headers: { [planted]: 'x'.repeat(70_000) } },
  { value: null, headers: { 'x-original-topic': planted } },
];
/** The fourth is none: its id is only of no use in binary mode. The first of two that are the same is taken in. */
const takenIn = 2;

/** As it would stand in base64, at each of the three places where it may begin. */
function inBase64(text: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('x'.repeat(shift) + text).toString('base64url');
    return encoded.slice(shift === 0 ? 0 : shift + 1, -3);
  });
}

/** What is read of the topic without any key. */
function seen(messages: readonly ReadMessage[]): string {
  return JSON.stringify(messages.map(({ key, value, headers }) => ({ key, value, headers })));
}

async function openAll(messages: readonly ReadMessage[]): Promise<ReadonlyMap<number, OpenedLetter>> {
  const open = letterOpener(privateKey);
  const opened = new Map<number, OpenedLetter>();
  for (const { key, value, headers } of messages) {
    const letter = await open(value ?? '');
    expect(letter).toMatchObject({ quarantineId: Number(key), reason: headers['x-reason'] });
    if (letter !== null) opened.set(letter.offset, letter);
  }
  return opened;
}

/** As it was sent. */
function expectWhole({ key, value }: OpenedLetter, message: Message | undefined): void {
  const sent = message?.value ?? null;
  expect(key).toEqual(Buffer.from(planted));
  expect(value).toEqual(sent === null ? null : Buffer.from(sent));
}

describe('dead letters that are encrypted', () => {
  const topics = testTopics();
  const messages = bad.map((message) => ({ ...message, key: planted }));
  let harness: IngestHarness;
  let reader: TopicReader;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    const database = await testDatabase();
    dispose = () => database.dispose();
    await createTopics(broker, topics.all, 1);
    const { groupId } = topics;
    const { brokers } = broker;
    harness = await IngestHarness.open({ kafka, brokers, databaseUrl: database.url, topics, groupId });
    reader = await TopicReader.open(kafka, topics.deadLetter);
    await harness.send(topics.purchases, ...messages);
    const deadLetters = { deadLetterTopic: topics.deadLetter, deadLetterValue: 'encrypted' as const };
    await harness.start({ ...deadLetters, deadLetterPublicKey: () => publicKey });
    await until(() => reader.messages.length >= bad.length - takenIn, 60_000);
  }, 120_000);

  afterAll(async () => {
    await reader.close();
    await harness.close();
    await dispose();
  });

  it('hold nothing that was planted, whatever was wrong with the record', () => {
    for (const text of [planted, ...inBase64(planted)]) expect(seen(reader.messages)).not.toContain(text);
    const origin = ['x-original-topic', 'x-original-partition', 'x-original-offset', 'x-reason'];
    for (const { headers } of reader.messages) {
      const names = Object.keys(headers).filter((name) => name !== 'x-truncated');
      expect(names.toSorted()).toEqual(['content-type', ...origin].toSorted());
    }
  });

  it('hold all of it for the private key', async () => {
    const rows = await harness.rows<{ offset: number; reason: string; detail: string }>(
      'SELECT kafka_offset::int AS "offset", reason, detail FROM quarantine ORDER BY quarantine_id',
    );
    expect(rows).toHaveLength(bad.length - takenIn);
    expect(new Set(rows.map(({ reason }) => reason)).size).toBeGreaterThan(5);
    const opened = await openAll(reader.messages);
    const letters = rows.map(({ offset }) => opened.get(offset));
    expect(letters.map((letter) => letter?.detail)).toEqual(rows.map(({ detail }) => detail));
    const whole = [...opened.values()].filter(({ isTruncated }) => !isTruncated);
    expect(whole).toHaveLength(rows.length - 2);
    for (const letter of whole) expectWhole(letter, messages[letter.offset]);
    await until(async () => (await harness.countOf('dead_letter_outbox')) === 0);
  });
});
