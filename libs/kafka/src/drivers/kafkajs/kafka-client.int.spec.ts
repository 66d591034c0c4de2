import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { logLevel, type Admin, type KafkaConfig } from 'kafkajs';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import { createTopics, testBroker, testTopics } from '#test-support';
import { waitUntil } from '#embedded';

import { KafkaClient } from './kafka-client.js';

const broker = await testBroker();
const topics = testTopics();

beforeAll(() => createTopics(broker, [topics.purchases]));

const made: Socket[] = [];

const config: KafkaConfig = {
  clientId: 'kafka-client-spec',
  brokers: broker.brokers.split(','),
  retry: { retries: 0 },
  logLevel: logLevel.NOTHING,
  socketFactory: ({ host, port, onConnect }) => {
    const socket = connect({ host, port }, onConnect);
    made.push(socket);
    return socket;
  },
};

beforeEach(() => {
  made.length = 0;
});

const open = (): number => made.filter((socket) => !socket.destroyed).length;

describe('a client that has disconnected', () => {
  let admin: Admin;

  beforeEach(async () => {
    admin = new KafkaClient(config).admin();
    await admin.connect();
  });

  // Heartbeats, metadata and retries that were under way connected anew, and nobody ended that connection.
  it('has no connection left that something of it made meanwhile', async () => {
    const asked = admin.listTopics().catch(() => null);
    const disconnected = admin.disconnect();
    const askedLater = admin.listTopics().catch(() => null);
    await disconnected;
    expect(open()).toBe(0);
    await Promise.all([asked, askedLater]);
    expect(open()).toBe(0);
  });

  it('connects no more, until it is told to', async () => {
    await admin.disconnect();
    const sockets = made.length;
    await expect(admin.listTopics()).rejects.toThrow('the client has disconnected');
    expect(made).toHaveLength(sockets);
    await admin.connect();
    expect(await admin.listTopics()).toContain(topics.purchases);
    await admin.disconnect();
    expect(open()).toBe(0);
  });

  it('leaves other clients alone', async () => {
    const other = new KafkaClient(config).admin();
    await other.connect();
    await admin.disconnect();
    expect(await other.listTopics()).toContain(topics.purchases);
    await other.disconnect();
  });
});

// A test file ended with four reads of offsets waiting for one another, each of which tried to connect for eleven seconds.
it('what was asked of a client at once ends with its disconnect, however often it may be retried', async () => {
  const { retry: _retry, ...often } = config;
  const admin = new KafkaClient(often).admin();
  await admin.connect();
  await admin.disconnect();
  const asked = [1, 2, 3, 4, 5].map(() => admin.fetchTopicOffsets(topics.purchases));
  for (const each of await Promise.allSettled(asked)) {
    expect(each).toMatchObject({
      reason: { name: 'KafkaJSNonRetriableError', message: 'the client has disconnected' },
    });
  }
  expect(open()).toBe(0);
});

describe('a client that is told to disconnect while it connects', () => {
  /** Nothing ends by itself in the time of a test. */
  const patient: KafkaConfig = { ...config, retry: {}, connectionTimeout: 600_000, requestTimeout: 600_000 };
  let hung: Server;
  let port: number;

  beforeEach(async () => {
    hung = createServer();
    await once(hung.listen(0, '127.0.0.1'), 'listening');
    ({ port } = hung.address() as AddressInfo);
  });

  afterEach(async () => {
    hung.close();
    await once(hung, 'close');
  });

  it('to a broker that accepts and never answers, leaves nothing', async () => {
    const producer = new KafkaClient({ ...patient, brokers: [`127.0.0.1:${port}`] }).producer();
    const connecting = producer.connect().catch((error: unknown) => error);
    const [accepted] = (await once(hung, 'connection')) as [Socket];
    // Its first request: KafkaJS counts itself connected, and waits.
    await once(accepted, 'data');
    await producer.disconnect();
    expect(String(await connecting)).toContain('the client has disconnected');
    expect(open()).toBe(0);
  });

  it('to a broker that does not come to accept, leaves nothing', async () => {
    const socketFactory: KafkaConfig['socketFactory'] = ({ host, port: to }) => {
      const socket = connect({ host, port: to });
      made.push(socket);
      return socket;
    };
    const consumer = new KafkaClient({ ...patient, brokers: [`127.0.0.1:${port}`], socketFactory }).consumer({
      groupId: topics.groupId,
    });
    const connecting = consumer.connect().catch((error: unknown) => error);
    await once(hung, 'connection');
    await consumer.disconnect();
    expect(String(await connecting)).toContain('the client has disconnected');
    expect(open()).toBe(0);
  });
});

it('a consumer that is told to disconnect while it works leaves no connection', async () => {
  const client = new KafkaClient(config);
  const consumer = client.consumer({ groupId: topics.groupId, maxWaitTimeInMs: 50 });
  await consumer.connect();
  await consumer.subscribe({ topics: [topics.purchases], fromBeginning: true });
  let fetches = 0;
  consumer.on(consumer.events.FETCH, () => (fetches += 1));
  await consumer.run({ eachMessage: () => Promise.resolve() });
  await waitUntil(() => fetches > 0, { what: 'a fetch', timeoutMs: 30_000 });
  await consumer.disconnect();
  expect(open()).toBe(0);
});

it('a consumer to which nothing comes asks half as often, until something does', async () => {
  const usualMs = 100;
  const quietMs = 195;
  const quiet = testTopics();
  await createTopics(broker, [quiet.purchases], 1);
  const client = new KafkaClient(config);
  const consumer = client.consumer({ groupId: quiet.groupId, maxWaitTimeInMs: usualMs });
  const waited: number[] = [];
  consumer.on(consumer.events.FETCH, ({ payload }) => waited.push(payload.duration));
  await consumer.connect();
  await consumer.subscribe({ topics: [quiet.purchases], fromBeginning: true });
  await consumer.run({ eachMessage: () => Promise.resolve() });
  const isQuiet = (): boolean => waited.slice(-3).every((ms) => ms >= quietMs);
  await waitUntil(() => waited.length > 22 && isQuiet(), { what: 'fetches that wait for longer', timeoutMs: 30_000 });
  const before = waited.length;
  const producer = client.producer();
  await producer.connect();
  await producer.send({ topic: quiet.purchases, messages: [{ value: 'no event' }] });
  const isUsual = (): boolean => waited.slice(before + 1).some((ms) => ms >= usualMs - 5 && ms < quietMs);
  await waitUntil(isUsual, { what: 'a fetch that waits as usual', timeoutMs: 30_000 });
  await Promise.all([consumer.disconnect(), producer.disconnect()]);
});

describe('the requests of a connection', () => {
  function queue(options: object = {}): { readonly requests: RequestQueue; readonly sent: number[] } {
    const logger = { debug: () => undefined, warn: () => undefined };
    const requests = new RequestQueue({
      requestTimeout: 1_000,
      enforceRequestTimeout: false,
      ...options,
      clientId: 'spec',
      broker: 'spec',
      logger,
    });
    return { requests, sent: [] };
  }

  function push({ requests, sent }: ReturnType<typeof queue>, correlationId: number): void {
    const entry = { correlationId, resolve: () => undefined, reject: () => undefined };
    requests.push({ entry, expectResponse: true, sendRequest: () => sent.push(correlationId) });
  }

  const answer = (requests: RequestQueue, correlationId: number): void => {
    requests.fulfillRequest({ correlationId, payload: Buffer.alloc(0), size: 0 });
  };

  // One timer of a millisecond after the other, for as long as the connection lived (and a warning of each by Node 24).
  it('set no timer while none of them waits to be sent', () => {
    const all = queue();
    push(all, 1);
    answer(all.requests, 1);
    expect(all.requests.throttleCheckTimeoutId).toBeNull();
  });

  // Ten times a second on each connection: two thirds of what woke an idle daemon.
  it('are looked after every two seconds, and given up when they are overdue', () => {
    jest.useFakeTimers();
    try {
      const timers = jest.spyOn(globalThis, 'setInterval');
      const rejected: string[] = [];
      const all = queue({ requestTimeout: 30_000, enforceRequestTimeout: true });
      all.requests.scheduleRequestTimeoutCheck();
      const entry = { correlationId: 1, resolve: () => undefined, reject: ({ name }: Error) => rejected.push(name) };
      all.requests.push({ entry, expectResponse: true, sendRequest: () => undefined });
      jest.advanceTimersByTime(30_000);
      expect(rejected).toEqual([]);
      jest.advanceTimersByTime(2_001);
      expect(rejected).toEqual(['KafkaJSRequestTimeoutError']);
      expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([2_000]);
      all.requests.destroy();
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are sent once the broker lets them, when one had to wait', async () => {
    const all = queue();
    all.requests.throttledUntil = Date.now() + 20;
    push(all, 1);
    expect(all.sent).toEqual([]);
    await waitUntil(() => all.sent.length === 1, { what: 'the request to be sent', timeoutMs: 60_000, intervalMs: 1 });
    expect(all.requests.throttleCheckTimeoutId).toBeNull();
    answer(all.requests, 1);
  });

  it('are sent when others are answered, where too many were under way', () => {
    const all = queue({ maxInFlightRequests: 1 });
    push(all, 1);
    push(all, 2);
    expect(all.sent).toEqual([1]);
    answer(all.requests, 1);
    expect(all.sent).toEqual([1, 2]);
    answer(all.requests, 2);
    all.requests.destroy();
  });
});
