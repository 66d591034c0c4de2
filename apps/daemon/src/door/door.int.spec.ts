import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { hookSchema } from '#contracts';
import type { DoorSource } from '#door';
import { waitUntil } from '#embedded';
import type { BrokerLine, ReadMessage } from '#kafka/testing';
import { brokerLine, recordingLogger, TopicReader } from '#kafka/testing';
import { createTopics, kafkaClient, testBroker, testTopics } from '#test-support';
import type { DoorAnswer } from '#test-support/door';
import { ShopDoor } from '#test-support/door';

const completed = 'loyalty.purchase.completed.v1';
const secret = 'hush-0123456789abcdef';
const next = 'next-0123456789abcdef';

const broker = await testBroker();
const { purchases: tills, rewards: shop, members: hooks } = testTopics();

const sale = (id: string, data: object = {}): object => ({
  ...{ specversion: '1.0', id, source: '/pos/1', type: completed, time: '2026-11-21T10:15:04+01:00' },
  data: { program: 'main', memberId: 'm_1', purchaseId: 'B07', ...data },
});

/** A body with characters of several bytes, spaces, and numbers that a float does not keep. */
const order = '{ "id":12345678901234567890,\n "customer":{"id":7741.10},"note":"Größe ☕  x","total":59.90 }';

describe('the door for shops without Kafka', () => {
  let folder: string;
  let line: BrokerLine;
  let reader: TopicReader;
  let orders: TopicReader;
  let door: ShopDoor;
  let lines: ReturnType<typeof recordingLogger>['lines'];

  const source = (name: string, topic: string, more: Partial<DoorSource> = {}): DoorSource => ({
    ...{ name, topic, isCloudEvents: true, types: [completed], programs: ['main'], key: null, hook: null },
    ...more,
  });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loyaltyd-door-'));
    writeFileSync(join(folder, 'secret'), `${secret}\n`);
    writeFileSync(join(folder, 'next'), next);
    await createTopics(broker, [tills, shop, hooks]);
    line = await brokerLine(broker.brokers);
    const kafka = kafkaClient(broker);
    reader = await TopicReader.open(kafka, tills);
    orders = await TopicReader.open(kafka, hooks);
    const secretFiles = [join(folder, 'secret')];
    const hook = hookSchema.parse({ scheme: 'shopify', secretFiles });
    const byItem = hookSchema.parse({ scheme: 'adyen', secretFiles });
    const json = { isCloudEvents: false, key: 'customer.id' };
    const recording = recordingLogger();
    lines = recording.lines;
    door = await ShopDoor.open({
      connection: line.connection,
      logger: recording.logger,
      limits: { acknowledgedMsMax: 5_000 },
      sources: [
        source('tills', tills),
        source('web', shop, { key: '$uppercase(data.memberId)' }),
        source('orders', hooks, { ...json, hook }),
        source('rotated', hooks, {
          ...json,
          hook: hookSchema.parse({ scheme: 'shopify', secretFiles: [join(folder, 'next'), join(folder, 'secret')] }),
        }),
        source('payments', hooks, { ...json, hook: byItem }),
        source('unread', hooks, {
          ...json,
          hook: hookSchema.parse({ scheme: 'shopify', secretFiles: [join(folder, 'none')] }),
        }),
      ],
      producers: [
        { name: 'till', sources: ['tills'] },
        { name: 'both', sources: ['tills', 'web'] },
        { name: 'typed', sources: ['tills'], types: ['loyalty.purchase.refunded.v1'] },
      ],
    });
  });

  afterAll(async () => {
    await door.close();
    await Promise.all([reader.close(), orders.close()]);
    await line.proxy.close();
    rmSync(folder, { recursive: true });
  });

  const structured = { 'content-type': 'application/cloudevents+json' };
  const write = (event: unknown, token = 'till', query = ''): Promise<DoorAnswer> =>
    door.send(`/events${query}`, {
      headers: { ...structured, authorization: `Bearer ${token}-token` },
      body: typeof event === 'string' ? event : JSON.stringify(event),
    });
  const found = async (from: TopicReader, has: string): Promise<ReadMessage> => {
    const find = (): ReadMessage | undefined => from.messages.find(({ value }) => value?.includes(has));
    await waitUntil(() => find() !== undefined, { what: `${has} in the topic`, timeoutMs: 20_000 });
    const message = find();
    if (message === undefined) throw new Error('it has gone');
    return message;
  };

  it('writes a structured event byte by byte under its member, and says where it lies', async () => {
    const body = `{ "specversion":"1.0","id":"whole-1","source":"/pos/1","type":"com.acme.${completed}","data":{"program":"main","memberId":"m_ü","total":59.90} }`;
    const { status, body: answer } = await write(body);
    expect({ status, answer }).toEqual({
      status: 202,
      answer: {
        accepted: [{ source: 'tills', id: 'whole-1', receipt: expect.stringMatching(/^\d+-\d+-\d{13}$/) as string }],
      },
    });
    expect(await found(reader, 'whole-1')).toMatchObject({ key: 'm_ü', value: body, headers: structured });
  });

  it('puts a member where every other producer puts it: murmur2 of the key', async () => {
    const producer = kafkaClient(broker).producer();
    await producer.connect();
    for (const memberId of ['m_1', 'm_2', 'Größe', '7']) {
      const [put] = await producer.send({ topic: shop, messages: [{ key: memberId, value: '{}' }] });
      const { body } = await write(sale(`by-${memberId}`, { memberId }));
      const [{ receipt }] = body['accepted'] as [{ receipt: string }];
      expect(receipt.split('-')[0]).toBe(String(put?.partition));
    }
    await producer.disconnect();
  });

  it('writes a binary event with its attributes as headers, and a sale without a card under its receipt', async () => {
    const headers = {
      ...{ authorization: 'Bearer till-token', 'content-type': 'application/json' },
      ...{ 'ce-specversion': '1.0', 'ce-id': 'binary-1', 'ce-source': '/pos/%C3%BC', 'ce-type': completed },
    };
    const body = '{"program":"main","purchaseId":"B07-binary"}';
    expect((await door.send('/events', { headers, body })).status).toBe(202);
    const message = await found(reader, 'B07-binary');
    expect(message).toMatchObject({ key: 'B07-binary', value: body });
    expect(message.headers).toEqual({
      ...{ 'content-type': 'application/json', ce_specversion: '1.0', ce_id: 'binary-1', ce_source: '/pos/ü' },
      ce_type: completed,
    });
    expect(JSON.stringify(message)).not.toContain('till-token');
  });

  it('writes a batch in its order, member by member, or nothing of it', async () => {
    const headers = { authorization: 'Bearer till-token', 'content-type': 'application/cloudevents-batch+json' };
    const batch = ['b-1', 'b-2', 'b-3'].map((id) => sale(id, { memberId: 'm_batch' }));
    const { status, body } = await door.send('/events', { headers, body: JSON.stringify(batch) });
    expect(status).toBe(202);
    const offsets = (body['accepted'] as { receipt: string }[]).map(({ receipt }) => Number(receipt.split('-')[1]));
    expect(offsets.map((offset) => offset - (offsets[0] ?? 0))).toEqual([0, 1, 2]);
    const half = [sale('never-1'), sale('never-2', { memberId: '', purchaseId: '' })];
    const refused = await door.send('/events', { headers, body: JSON.stringify(half) });
    expect(refused).toMatchObject({ status: 422, body: { type: 'urn:loyaltyd:problem:no-key' } });
    expect(refused.body['detail']).toMatch(/^events\[1\]/);
    await write(sale('after-never'));
    await found(reader, 'after-never');
    expect(JSON.stringify(reader.messages.map(({ value }) => value))).not.toContain('never-1');
  });

  it.each([
    ['no token', { token: 'unknown' }, 401, 'unauthorized'],
    ['the token of an operator', { token: 'admin' }, 403, 'role'],
    ['a type that is not the token’s', { token: 'typed' }, 403, 'not-allowed'],
    ['a source that is not the token’s', { query: '?source=web' }, 403, 'not-allowed'],
    ['a program that is not the source’s', { data: { program: 'other' } }, 403, 'not-allowed'],
    ['two sources that may say it', { token: 'both' }, 422, 'ambiguous'],
    ['neither member nor receipt', { data: { memberId: null, purchaseId: null } }, 422, 'no-key'],
    ['no id', { event: { id: undefined } }, 400, 'http-400'],
    ['another version', { event: { specversion: '0.3' } }, 400, 'http-400'],
  ])(
    'refuses an event with %s',
    async (_what, { token = 'till', query = '', data = {}, event = {} }: Bad, status, code) => {
      const answer = await write({ ...sale('refused'), ...sale('refused', data), ...event }, token, query);
      expect(answer).toMatchObject({ status, body: { type: `urn:loyaltyd:problem:${code}`, status } });
    },
  );

  it('makes the key by the source’s own expression', async () => {
    const { status, body } = await write(sale('keyed', { memberId: 'm_upper' }), 'both', '?source=web');
    expect([status, body['accepted']]).toMatchObject([202, [{ source: 'web' }]]);
  });

  it('lets a producer do nothing else', async () => {
    const headers = { authorization: 'Bearer till-token' };
    expect((await door.send('/hooks/tills', { headers, body: '{}' })).status).toBe(404);
    expect((await door.send('/events', { headers, method: 'GET' })).status).toBe(404);
  });

  it('writes a signed webhook byte by byte, with the headers that are kept', async () => {
    const more = {
      'x-shopify-topic': 'orders/paid',
      'x-shopify-webhook-id': 'w-1',
      'x-other': 'no',
      authorization: 'no',
    };
    const { status, body } = await door.hook('orders', secret, order, more);
    expect({ status, body }).toMatchObject({ status: 202, body: { accepted: [{ source: 'orders', id: null }] } });
    const message = await found(orders, 'Größe');
    expect(message.value).toBe(order);
    expect(message.key).toBe('7741.10');
    expect(message.headers).toEqual({
      ...{ 'content-type': 'application/json', 'x-shopify-topic': 'orders/paid', 'x-shopify-webhook-id': 'w-1' },
    });
  });

  it('takes either secret while it is rotated', async () => {
    for (const each of [secret, next]) expect((await door.hook('rotated', each, order)).status).toBe(202);
    expect((await door.hook('orders', next, order)).status).toBe(401);
  });

  it.each([
    { what: 'a wrong signature', key: 'wrong', status: 401, code: 'signature' },
    { what: 'no JSON', body: '{"id":', status: 400, code: 'http-400' },
    { what: 'nothing to be its key', body: '{"customer":null}', status: 422, code: 'no-key' },
    { what: 'a source that takes none', name: 'tills', status: 404, code: 'no-such-hook' },
    { what: 'a source that is not there', name: 'gone', status: 404, code: 'no-such-hook' },
    { what: 'a secret that cannot be read', name: 'unread', status: 503, code: 'no-secret' },
    {
      ...{ what: 'items that are not signed', name: 'payments', status: 401, code: 'signature' },
      body: '{"notificationItems":[{}]}',
    },
  ])('refuses a webhook with $what', async ({ name = 'orders', key = secret, body = order, status, code }) => {
    const answer = await door.hook(name, key, body);
    expect(answer).toMatchObject({ status, body: { type: `urn:loyaltyd:problem:${code}` } });
    expect(answer.headers.get('retry-after') !== null).toBe(status === 503);
  });

  it('is asked to wait by who guesses signatures, and takes what is signed all the same', async () => {
    const guess = (): Promise<DoorAnswer> => door.hook('orders', 'guess', order);
    await waitUntil(async () => (await guess()).status === 429, { what: 'guesses to be too many', timeoutMs: 20_000 });
    expect((await door.hook('orders', secret, order)).status).toBe(202);
  });

  it('takes no more than a record may have', async () => {
    const large = JSON.stringify(sale('large', { note: 'x'.repeat(1024 * 1024) }));
    expect((await write(large)).status).toBe(413);
    const nearly = JSON.stringify(sale('nearly', { note: 'x'.repeat(900 * 1024) }));
    expect((await write(nearly)).status).toBe(202);
  });

  it('answers 503 while Kafka is away, soon enough, and 202 when it is back', async () => {
    line.proxy.cut();
    const away = await Promise.all([write(sale('while-away')), door.hook('orders', secret, order)]);
    for (const { status, headers, body } of away) {
      expect({ status, body }).toMatchObject({ status: 503, body: { type: 'urn:loyaltyd:problem:kafka-away' } });
      expect(headers.get('retry-after')).toBe('5');
    }
    line.proxy.heal();
    await waitUntil(async () => (await write(sale('back'))).status === 202, {
      what: 'Kafka to be back',
      timeoutMs: 30_000,
    });
    await found(reader, '"back"');
    expect(door.counted).toContainEqual(['orders', 'kafka-away', 1]);
    expect(door.counted).toContainEqual(['tills', 'accepted', 1]);
  });

  it('never breaks, whatever comes', async () => {
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '\u0000',
      '[[[[',
      '['.repeat(9_000),
      '{"data":{"memberId":{}}}',
      '{"__proto__":{"id":"1"}}',
    ];
    const types = [
      'application/cloudevents+json',
      'application/cloudevents-batch+json',
      'application/json',
      'text/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      ';;;',
      'application/cloudevents+avro',
    ];
    for (const type of types) {
      for (const body of bodies) {
        const headers = {
          'content-type': type,
          authorization: 'Bearer till-token',
          'ce-specversion': '1.0',
          'ce-id': '%',
          'ce-x': '"',
        };
        const event = await door.send('/events', { headers, body });
        expect([202, 400, 413, 415, 422, 429]).toContain(event.status);
        const hook = await door.hook('orders', secret, body, { 'content-type': type });
        expect([400, 415, 422, 429]).toContain(hook.status);
      }
    }
    expect(lines.filter(({ message }) => message === 'a request failed')).toEqual([]);
  });
});

interface Bad {
  readonly token?: string;
  readonly query?: string;
  readonly data?: object;
  readonly event?: object;
}
