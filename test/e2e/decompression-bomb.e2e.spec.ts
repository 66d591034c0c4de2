import { createGunzip } from 'node:zlib';

import type { QuarantinedDetails, QuarantinePage } from '#contracts';
import { waitUntil } from '#embedded';
import type { DeadLetter } from '#intents';
import { inspectInstallation, QuarantineRepository } from '#intents';
import { createDataSource, Keyring, TypeormDatabase } from '#platform';
import type { RunningProcess } from '#test-support';
import { compressedSpaces, createTopics, kafkaClient, queryOnce, sendCompressed, testTopics } from '#test-support';

import { ApiClient, apiTokens, settleRecords } from './api-client.js';
import { readDeadLetters } from './dead-letters.js';
import type { Harness } from './harness.js';
import { encryptionKey, openHarness } from './harness.js';
import { bombBytes, smallContainerOptions } from './large-batches.js';
import { LifeWatch } from './life-watch.js';
import { produce, purchased } from './traffic.js';

const mebibyte = 1024 * 1024;
const perRound = 50;
const headerBytes = 61;

/** What a gzip stream holds, without keeping it. */
async function spacesIn(payload: Buffer): Promise<{ readonly spaces: number; readonly others: number }> {
  const stream = createGunzip();
  stream.end(payload);
  const counted = { spaces: 0, others: 0 };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let spaces = 0;
    for (const byte of chunk) if (byte === 0x20) spaces += 1;
    counted.spaces += spaces;
    counted.others += chunk.length - spaces;
  }
  return counted;
}

describe('records that grow to 400 MiB each', () => {
  const topics = testTopics();
  let harness: Harness;
  let daemon: RunningProcess;
  let operator: ApiClient;
  let payload: Buffer;

  beforeAll(async () => {
    harness = await openHarness();
    await createTopics(harness.broker, topics.all, 1);
    payload = await compressedSpaces('gzip', bombBytes);
    daemon = await harness.startDaemon({
      ...topics.environment,
      KAFKA_TOPIC_OUTCOMES: 'none',
      OPS_TOKENS: apiTokens,
      NODE_OPTIONS: smallContainerOptions,
    });
    operator = new ApiClient(daemon, 'operator');
  });

  afterAll(async () => {
    await harness.close();
  });

  async function sendBomb(): Promise<void> {
    await sendCompressed(kafkaClient(harness.broker), { topic: topics.purchases, codec: 'gzip', payload });
  }

  async function sendPurchases(round: number): Promise<void> {
    const events = Array.from({ length: perRound }, (_, at) => purchased(`m-${at}`, `p-${round}-${at}`));
    await produce(harness.broker, topics, events);
  }

  async function count(text: string): Promise<number> {
    return Number((await queryOnce<{ count: string }>(harness.database.url, text))[0]?.count ?? -1);
  }

  async function lag(): Promise<number> {
    const admin = kafkaClient(harness.broker).admin();
    await admin.connect();
    const [partition] = await admin.fetchTopicOffsets(topics.purchases);
    await admin.disconnect();
    const stored = await count(`SELECT next_offset AS count FROM kafka_offset WHERE topic = '${topics.purchases}'`);
    return Number(partition?.high) - stored;
  }

  async function open(id: number): Promise<DeadLetter | null> {
    const source = createDataSource({
      ...{ url: harness.database.url, poolSize: 1, ssl: false, applicationName: 'spec', migrations: [] },
      onPoolError: () => undefined,
    });
    await source.initialize();
    try {
      const database = new TypeormDatabase(source);
      const keyring = new Keyring([Buffer.from(encryptionKey, 'base64')]);
      const installation = await inspectInstallation(database, keyring);
      return await new QuarantineRepository(database, {
        quarantine: installation?.keys?.quarantine ?? Buffer.alloc(32),
        mac: installation?.keys?.mac ?? Buffer.alloc(32),
      }).read(id);
    } finally {
      await source.destroy();
    }
  }

  // `npm run bench -- --only container` measures that 512 MiB are enough.
  it('are set aside as they came, while the partition goes on and the daemon says that it is alive', async () => {
    const watch = new LifeWatch(daemon);
    await sendPurchases(0);
    for (const round of [1, 2, 3]) {
      await sendBomb();
      await sendPurchases(round);
    }
    const isOver = async (): Promise<boolean> => (await count('SELECT count(*) FROM intent')) === 4 * perRound;
    await waitUntil(isOver, { what: 'all purchases to become intents', timeoutMs: 120_000, intervalMs: 250 });
    expect(await watch.end()).toEqual([]);
    expect(await lag()).toBe(0);
  });

  it('are in quarantine as oversized, with the bytes that the broker had, and in the dead-letter topic', async () => {
    const { items } = (await operator.get('/quarantine?reason=oversized')).body as QuarantinePage;
    const sizes = `more than ${64 * mebibyte} bytes; ${payload.length + headerBytes} bytes as sent`;
    expect(items.map(({ offset, lastOffset, bytes, detail }) => ({ offset, lastOffset, bytes, detail }))).toEqual(
      [152, 101, 50].map((offset) => ({
        ...{ offset, lastOffset: offset, bytes: payload.length + headerBytes },
        detail: `record batch, offsets ${offset} to ${offset}: gzip: ${sizes}`,
      })),
    );
    const letter = await open(items[0]?.id ?? 0);
    const kept = Buffer.from(letter?.value ?? []).subarray(headerBytes);
    expect(kept.equals(payload)).toBe(true);
    const { spaces, others } = await spacesIn(kept);
    expect(spaces).toBe(bombBytes);
    expect(others).toBeLessThan(32);
    const places = await readDeadLetters({ ...harness, topics }, 3);
    expect(places.sort()).toEqual([101, 152, 50].map((offset) => `${topics.purchases}/0@${offset}`));
  });

  it('are shown without being opened, not taken in under the same limit, and discarded', async () => {
    const { items } = (await operator.get('/quarantine?reason=oversized')).body as QuarantinePage;
    const [id, other] = items.map((item) => item.id);
    const shown = (await operator.get(`/quarantine/${id}`)).body as QuarantinedDetails;
    expect(shown).toMatchObject({ key: null, value: null, encoding: 'batch', isReadable: true });
    const reason = 'the till was mended';
    const resubmit = (body: object): Promise<unknown> => operator.post(`/quarantine/${id}/resubmit`, body);
    const corrected = { key: 'm-1', headers: {}, value: '{}' };
    expect(await resubmit({ reason, corrected })).toMatchObject({
      ...{ status: 422, body: { type: 'urn:loyaltyd:problem:record-batch' } },
    });
    const refused = {
      type: 'urn:loyaltyd:problem:still-refused',
      detail: expect.stringContaining('Raise KAFKA_DECOMPRESSED_BYTES_MAX') as string,
    };
    expect(await resubmit({ reason })).toMatchObject({ status: 422, body: refused });
    const many = await settleRecords(operator, { kind: 'resubmit', query: { reason: 'oversized' }, reason });
    expect(many.selection).toMatchObject({ byForecast: { 'record-batch': 3 }, byState: { refused: 3 } });
    expect(await operator.post(`/quarantine/${id}/discard`, { reason })).toMatchObject({ status: 200 });
    expect(await operator.post(`/quarantine/${other}/discard`, { reason })).toMatchObject({ status: 200 });
    const left = (await operator.get('/quarantine?reason=oversized')).body as QuarantinePage;
    expect(left.items).toHaveLength(1);
  });

  it('are counted', async () => {
    const { operations } = daemon.ready as unknown as { readonly operations: string };
    const metrics = await (await fetch(`${operations}/metrics`)).text();
    expect(metrics).toContain('loyaltyd_quarantined_total{reason="oversized"} 3');
  });
});
