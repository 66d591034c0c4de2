import type { Message } from 'kafkajs';

import { MemberKeys, QuarantineSettlements } from '#intents';
import type { ResubmitResult } from '#intents';
import { SystemRandom } from '#platform';
import type { TypeormDatabase } from '#platform';
import { createTopics, kafkaClient, testBroker, testDatabase, testTopics } from '#test-support';

import { recordRouter } from '../loop/prepare-record.js';
import { testSources } from '../testing/sources.js';
import { purchase, testPrograms } from '../testing/events.js';
import { until } from '../testing/fakes.js';
import { openDatabase } from '../testing/ingest-fixture.js';
import { IngestHarness } from '../testing/ingest-harness.js';
import { type ReadMessage, TopicReader } from '#kafka/testing';
import { deadLetterValueBytesMax } from './dead-letters.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);

const mended = testPrograms();
const broken = { ...mended, file: { ...mended.file, programs: {} } };

/** The same event in binary mode. */
function inBinaryMode({ key, value }: Message): Message {
  const { data, ...attributes } = JSON.parse(String(value)) as Readonly<Record<string, unknown>>;
  const named = Object.entries(attributes).map(([name, text]) => [`ce_${name}`, String(text)]);
  const headers = { 'content-type': 'application/json', ...Object.fromEntries(named) } as Record<string, string>;
  return { key: key ?? null, value: JSON.stringify(data), headers };
}

const structured = (id: string): Message => purchase(id, `m-${id}`);
const binary = (id: string): Message => inBinaryMode(purchase(id, `m-${id}`));

describe('a dead letter that somebody copies back into its topic', () => {
  const topics = testTopics();
  let programs = broken;
  let harness: IngestHarness;
  let reader: TopicReader;
  let database: TypeormDatabase;
  let dispose: () => Promise<void>;

  beforeAll(async () => {
    const test = await testDatabase();
    const opened = await openDatabase(test.url);
    database = opened.database;
    dispose = async () => {
      await opened.source.destroy();
      await test.dispose();
    };
    await createTopics(broker, topics.all, 1);
    const { groupId } = topics;
    harness = await IngestHarness.open({ kafka, brokers: broker.brokers, databaseUrl: test.url, topics, groupId });
    await harness.start({ deadLetterTopic: topics.deadLetter }, { settings: { programs: () => programs } });
    reader = await TopicReader.open(kafka, topics.deadLetter);
  });

  beforeEach(() => {
    programs = broken;
    harness.counted.counts.clear();
  });

  afterAll(async () => {
    await reader.close();
    await harness.close();
    await dispose();
  });

  /** Sends what cannot be taken. @returns its dead letter */
  async function setAside(message: Message): Promise<ReadMessage> {
    const before = reader.messages.length;
    await harness.send(topics.purchases, message);
    await until(() => reader.messages.length > before);
    return reader.messages[before]!;
  }

  async function copyBack({ copy }: ReadMessage): Promise<void> {
    await harness.send(topics.purchases, copy);
  }

  async function resubmit({ key }: ReadMessage): Promise<ResubmitResult> {
    const random = new SystemRandom();
    const { keyring, mac, quarantine } = harness.keys;
    const keys = { members: new MemberKeys(keyring, random), mac, quarantine, random };
    const audit = { at: Date.now(), actor: 'ada', address: null, reason: 'mended' };
    const request = { quarantineId: Number(key), correction: null, audit, permit: () => [] };
    return new QuarantineSettlements(database, keys).resubmit(
      request,
      recordRouter(() => programs, testSources(topics)),
    );
  }

  function intentsOf(id: string): Promise<{ offset: number }[]> {
    return harness.rows('SELECT kafka_offset::int AS "offset" FROM intent WHERE purchase_id = $1', `p-${id}`);
  }

  describe.each([
    ['structured', structured],
    ['binary', binary],
  ])('in %s mode', (mode, message) => {
    it('and resubmits, too, is taken once: the resubmit first', async () => {
      const id = `${mode}-1`;
      const letter = await setAside(message(id));
      expect(letter.headers['x-reason']).toBe('unknown-program');
      programs = mended;
      expect(await resubmit(letter)).toEqual({ kind: 'done', result: 'recorded' });
      await copyBack(letter);
      await harness.hasCounted('duplicate-event', 1);
      expect(await intentsOf(id)).toEqual([{ offset: Number(letter.headers['x-original-offset']) }]);
    });

    it('and resubmits, too, is taken once: the copy first', async () => {
      const id = `${mode}-2`;
      const letter = await setAside(message(id));
      programs = mended;
      await copyBack(letter);
      await harness.hasCounted('recorded', 1);
      expect(await resubmit(letter)).toEqual({ kind: 'done', result: 'duplicate' });
      expect(await intentsOf(id)).toHaveLength(1);
    });

    it('and resubmits, too, is taken once: both at the same time', async () => {
      const ids = Array.from({ length: 8 }, (_, number) => `${mode}-both-${number}`);
      const letters: ReadMessage[] = [];
      for (const id of ids) letters.push(await setAside(message(id)));
      programs = mended;
      const [outcomes] = await Promise.all([
        Promise.all(letters.map(resubmit)),
        harness.send(topics.purchases, ...letters.map(({ copy }) => copy)),
      ]);
      expect(outcomes.map(({ kind }) => kind)).toEqual(ids.map(() => 'done'));
      await until(() => {
        const { counts } = harness.counted;
        return (counts.get('recorded') ?? 0) + (counts.get('duplicate-event') ?? 0) === ids.length;
      });
      for (const id of ids) expect(await intentsOf(id)).toHaveLength(1);
    });

    it('is what it was as long as nothing is mended: set aside once more', async () => {
      const letter = await setAside(message(`${mode}-3`));
      const again = await setAside(letter.copy);
      const { 'x-original-offset': first, 'x-fingerprint': fingerprint, ...headers } = letter.headers;
      expect(again.headers).toMatchObject(headers);
      expect(Number(again.headers['x-original-offset'])).toBeGreaterThan(Number(first));
      expect(again.headers['x-fingerprint']).not.toBe(fingerprint);
      expect(again.copy.value).toEqual(letter.copy.value);
    });
  });

  it('regression: is as unreadable as it was where its headers are no UTF-8', async () => {
    const message = binary('bytes');
    const bytes = Buffer.from([0x62, 0xff, 0x62]);
    const letter = await setAside({ ...message, headers: { ...message.headers, ce_id: bytes } });
    expect(letter.headers).toMatchObject({ 'x-reason': 'unreadable', 'x-detail': 'headers.ce_id: invalid UTF-8' });
    expect(letter.copy.headers?.['ce_id']).toEqual(bytes);
    programs = mended;
    expect(await resubmit(letter)).toMatchObject({ kind: 'refused', detail: 'headers.ce_id: invalid UTF-8' });
    const again = await setAside(letter.copy);
    expect(again.headers['x-detail']).toBe('headers.ce_id: invalid UTF-8');
  });

  it('says so where it came without its value, and loses nothing', async () => {
    const { value, ...message } = structured('large');
    const { data, ...frame } = JSON.parse(String(value)) as { readonly data: object };
    const filler = 'x'.repeat(deadLetterValueBytesMax);
    const letter = await setAside({ ...message, value: JSON.stringify({ ...frame, data: { ...data, filler } }) });
    expect(letter.copy.value).toBeNull();
    programs = mended;
    const again = await setAside(letter.copy);
    expect(again.headers).toMatchObject({
      ...{ 'x-reason': 'unreadable', 'x-detail': 'value: left out of this dead letter; resubmit the original' },
    });
    expect(await resubmit(letter)).toEqual({ kind: 'done', result: 'recorded' });
    expect(await intentsOf('large')).toHaveLength(1);
  });
});
