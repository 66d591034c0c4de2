import { isDeepStrictEqual } from 'node:util';

import kafkajs from 'kafkajs';
import type { Message } from 'kafkajs';

import { waitUntil } from '#embedded';
import {
  compressedSpaces,
  createTopics,
  kafkaClient,
  processMemory,
  queryOnce,
  sendCompressed,
  testTopics,
} from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { emission } from './traffic.js';

const partitions = 12;
const memberCount = 500;
const perMember = 32;
const recordsPerSend = 4_000;
/** A receipt of some 7 KiB; gzip leaves a ninth of it. */
const lineCount = 80;
/** docs/operations/install.md: the options for a container of 512 MiB. */
const nodeOptions = '--max-old-space-size=384 --max-semi-space-size=32';
const containerMebibytes = 512;
/** Of spaces, in one record. */
const bombBytes = 400 * 1024 * 1024;

/** A number that looks like chance and is the same in every run; a digest for each of two million takes ten seconds. */
function scramble(number: number): number {
  const mixed = Math.imul(number ^ (number >>> 16), 0x21f0aaad);
  const again = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (again ^ (again >>> 15)) >>> 0;
}

function largePurchase(number: number): Message {
  const memberId = `m-${number % memberCount}`;
  const net = { minor: 1_250, currency: 'EUR', digits: 2 };
  const lines = Array.from({ length: lineCount }, (_, index) => {
    const noise = scramble(number * lineCount + index + 1);
    return { sku: `SHOE-${noise}`, quantity: 1, net: { ...net, minor: scramble(noise) & 0xffff } };
  });
  const more = { id: `p-${number}`, purchaseId: `p-${number}`, channel: 'pos', storeId: 'berlin-07', total: net };
  return emission('purchases', 'purchase.completed', { memberId, ...more, lines }).message;
}

/** As it is after an outage: every partition has twice what is ever read at once. One has bombs between. */
async function fill(harness: Harness, topic: string): Promise<void> {
  const producer = kafkaClient(harness.broker).producer();
  await producer.connect();
  const compression = kafkajs.CompressionTypes.GZIP;
  const payload = await compressedSpaces('gzip', bombBytes);
  for (let from = 0; from < memberCount * perMember; from += recordsPerSend) {
    const messages = Array.from({ length: recordsPerSend }, (_, index) => largePurchase(from + index));
    await producer.send({ topic, messages, compression });
    await sendCompressed(kafkaClient(harness.broker), { topic, codec: 'gzip', payload });
  }
  await producer.disconnect();
}

describe('a compressed backlog with bombs in it', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
  }, 180_000);

  afterAll(async () => {
    await harness.close();
  }, 60_000);

  it('is taken in by a process that has 512 MiB', async () => {
    const topics = testTopics();
    await createTopics(harness.broker, [topics.members, topics.purchases, topics.rewards], partitions);
    await fill(harness, topics.purchases);
    const daemon = await harness.startDaemon({
      ...topics.environment,
      KAFKA_TOPIC_DEAD_LETTER: 'none',
      KAFKA_TOPIC_OUTCOMES: 'none',
      LOYALTYD_ROLES: 'ingest',
      NODE_OPTIONS: nodeOptions,
    });
    const counts = async (): Promise<unknown> =>
      (
        await queryOnce(
          harness.database.url,
          'SELECT (SELECT count(*)::int FROM intent) AS recorded, (SELECT count(*)::int FROM quarantine) AS "setAside"',
        )
      )[0];
    const recorded = memberCount * perMember;
    const whole = { recorded, setAside: recorded / recordsPerSend };
    await waitUntil(async () => isDeepStrictEqual(await counts(), whole), {
      what: 'the whole backlog to be recorded or set aside',
      timeoutMs: 240_000,
      intervalMs: 250,
    });
    const { peakMebibytes: peak } = await processMemory(daemon.pid);
    process.stderr.write(`a compressed backlog with bombs: ${Math.round(peak)} MiB at most\n`);
    expect(peak).toBeLessThan(containerMebibytes);
    const setAside = await queryOnce<{ reason: string }>(harness.database.url, 'SELECT reason FROM quarantine');
    expect(setAside.map(({ reason }) => reason)).toEqual(Array(whole.setAside).fill('oversized'));
  }, 360_000);
});
