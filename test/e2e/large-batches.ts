import type { Message } from 'kafkajs';
import kafkajs from 'kafkajs';

import type { TestBroker } from '#test-support';
import { compressedSpaces, kafkaClient, sendCompressed } from '#test-support';

import { emission, purchased } from './traffic.js';

const mebibyte = 1024 * 1024;
const { GZIP } = kafkajs.CompressionTypes;

/** docs/operations/install.md: the options for a container of 512 MiB. */
export const smallContainerOptions = '--max-old-space-size=384 --max-semi-space-size=32';

/** Of spaces, in one record; gzip leaves some 400 KiB of it, well under what a broker takes. */
export const bombBytes = 400 * mebibyte;

const memberCount = 500;
const perMember = 32;
const recordsPerSend = 4_000;
/** A receipt of some 7 KiB; gzip leaves a ninth of it. */
const lineCount = 80;

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

/** What was sent, by what becomes of it. */
interface SentBatches {
  readonly purchases: number;
  readonly bombs: number;
}

/** A backlog as it is after an outage: every partition has twice what is ever read at once. One has bombs between. */
export async function sendBacklog(broker: TestBroker, topic: string): Promise<SentBatches> {
  const producer = kafkaClient(broker).producer();
  await producer.connect();
  const payload = await compressedSpaces('gzip', bombBytes);
  const purchases = memberCount * perMember;
  for (let from = 0; from < purchases; from += recordsPerSend) {
    const messages = Array.from({ length: recordsPerSend }, (_, index) => largePurchase(from + index));
    await producer.send({ topic, messages, compression: GZIP });
    await sendCompressed(kafkaClient(broker), { topic, codec: 'gzip', payload });
  }
  await producer.disconnect();
  return { purchases, bombs: purchases / recordsPerSend };
}

/** What each codec makes of a batch that brokers take: as much as it can, and what is just within the limit of 64 MiB. */
const sizes = {
  gzip: [400, 60],
  zstd: [400, 60],
  lz4: [200, 60],
  // Three bytes for 64: it cannot grow beyond the limit.
  snappy: [20, 20],
} as const;
type Codec = keyof typeof sizes;
const codecs = Object.keys(sizes) as Codec[];
const perSend = 300;

/** Purchases of some 3 KiB, which gzip to a tenth. */
function purchases(partition: number, round: number): { value: string; key: string; partition: number }[] {
  return Array.from({ length: perSend }, (_, at) => {
    const { message } = purchased(`m-${partition}-${at % 50}`, `p-${partition}-${round}-${at}`);
    const event = JSON.parse(String(message.value)) as { readonly data: object };
    const note = `${round} ${at} `.repeat(400);
    return {
      ...message,
      key: String(message.key),
      partition,
      value: JSON.stringify({ ...event, data: { ...event.data, note } }),
    };
  });
}

/** Into each partition bombs of every codec between purchases. */
export async function sendEveryCodec(
  broker: Parameters<typeof kafkaClient>[0],
  topic: string,
  partitions: number,
): Promise<SentBatches> {
  const kafka = kafkaClient(broker);
  const producer = kafka.producer();
  await producer.connect();
  const counted = { purchases: 0, bombs: 0 };
  for (const [round, codec] of codecs.entries()) {
    const payloads = await Promise.all(sizes[codec].map((size) => compressedSpaces(codec, size * mebibyte)));
    for (let partition = 0; partition < partitions; partition += 1) {
      const messages = purchases(partition, round);
      await producer.send({ topic, messages, compression: GZIP });
      counted.purchases += messages.length;
      for (const payload of payloads) await sendCompressed(kafka, { topic, partition, codec, payload });
      counted.bombs += payloads.length;
    }
  }
  await producer.disconnect();
  return counted;
}
