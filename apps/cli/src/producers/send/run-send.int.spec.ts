import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startEmbeddedBroker } from '#embedded';

import { readKafka } from '../kafka-words.js';
import { readTopic } from '../lint/read-topic.js';
import { collected, fakeStreams } from '../testing/fixtures.js';
import { runSend, type SendOptions } from './run-send.js';

const programs = `
programs: { club: { brandId: 1, programId: 2 } }
sources:
  orders: { topics: [shop.orders], format: json, map: "$", types: [loyalty.member.enrolled.v1], programs: [club] }
`;

describe('loyaltyd send', () => {
  let folder: string;
  let broker: Awaited<ReturnType<typeof startEmbeddedBroker>>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-send-'));
    broker = await startEmbeddedBroker({ topics: ['shop.orders', 'other'] });
    await mkdir(join(folder, 'orders'));
    await writeFile(join(folder, 'loyaltyd.yaml'), programs);
    await writeFile(join(folder, 'orders/paid.json'), '{ "id": 1.10 }');
    await writeFile(join(folder, 'orders/paid.json.record.json'), '{ "key": "ada", "headers": { "v": "1" } }');
  });

  afterAll(async () => {
    await broker.stop();
    await rm(folder, { recursive: true });
  });

  const send = async (changed: Partial<SendOptions>) => {
    const streams = fakeStreams();
    const files = [join(folder, 'orders')];
    const given = { files, programs: join(folder, 'loyaltyd.yaml'), sources: null, topic: null, yes: false };
    const code = await runSend({ ...given, brokers: broker.brokers, ...changed }, streams);
    return { code, out: streams.stdout.text };
  };

  const recordsOf = async (topic: string) =>
    collected(readTopic({ kafka: readKafka({ env: {}, brokers: broker.brokers, isDryRun: false }), topic, last: 10 }));

  it('writes each sample to the topic of its source, as it is', async () => {
    const { code, out } = await send({});
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ topic: 'shop.orders', offset: 0 });
    const [record] = await recordsOf('shop.orders');
    expect([String(record?.key), String(record?.value), String(record?.headers?.['v'])]).toEqual([
      'ada',
      '{ "id": 1.10 }',
      '1',
    ]);
  });

  it('writes to the topic that is named, also what is of no source', async () => {
    expect(await send({ programs: null, topic: 'other' })).toMatchObject({ code: 0 });
    expect(await recordsOf('other')).toHaveLength(1);
  });

  it.each([
    [{ programs: null }, /by which topic it goes: --topic/],
    [{ topic: 'nowhere' }, /nowhere: the brokers have no such topic/],
    [{ brokers: 'kafka.example:9092' }, /ALLOW_CLEARTEXT|is not this machine/],
    [{ brokers: null }, /--brokers: required/],
    [{ files: ['/no/such/file'] }, /no such file|--topic/],
  ])('sends nothing for %j', async (changed, problem) => {
    await expect(send(changed)).rejects.toThrow(problem);
  });
});
