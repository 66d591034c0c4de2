import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';

import { waitUntil } from '#embedded';
import { createLogger } from '#platform';
import { createTopics, describeWithRealKafka, kafkaClient, testBroker, testTopics } from '#test-support';

import { inspectOpenTransactions, inspectTopics, inspectWatermarks } from './inspect-kafka.js';

const logger = createLogger({ level: 'silent', service: 'inspection-spec' });
const broker = await testBroker();
const { purchases: topic } = testTopics();
const connection = { clientId: 'inspection-spec', brokers: broker.brokers.split(',') };

beforeAll(() => createTopics(broker, [topic], 2));

describeWithRealKafka(broker, 'a transaction that stays open', () => {
  it('regression: hides no lag, and is named with its partition, producer and first record', async () => {
    const kafka = kafkaClient(broker);
    const [plain, hanging] = [
      kafka.producer(),
      kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        transactionalId: `${topic}-till`,
        retry: { retries: 5 },
      }),
    ];
    await Promise.all([plain.connect(), hanging.connect()]);
    const transaction = await hanging.transaction();
    try {
      await plain.send({ topic, messages: [{ partition: 1, value: 'a' }] });
      await transaction.send({ topic, messages: [{ partition: 1, value: 'b' }] });
      await plain.send({ topic, messages: ['c', 'd', 'e'].map((value) => ({ partition: 1, value })) });
      const ends = (await inspectWatermarks(connection, [topic], logger)).get(topic);
      expect(ends?.toSorted((one, two) => one.partition - two.partition)).toEqual([
        { partition: 0, low: 0, high: 0, stable: 0 },
        { partition: 1, low: 0, high: 5, stable: 1 },
      ]);
      const places = [0, 1].map((partition) => ({ topic, partition }));
      const named = { topic, partition: 1, startOffset: 1, lastAt: expect.any(Number) as number };
      const open = await inspectOpenTransactions(connection, places, logger);
      expect(open).toEqual([{ ...named, producerId: expect.stringMatching(/^\d+$/) as string }]);
    } finally {
      await transaction.abort();
      await Promise.all([plain.disconnect(), hanging.disconnect()]);
    }
    // The coordinator writes the end of a transaction after it has promised it.
    const ended = async (): Promise<boolean> =>
      (await inspectOpenTransactions(connection, [{ topic, partition: 1 }], logger)).length === 0;
    await waitUntil(ended, { what: 'the end of the transaction', timeoutMs: 30_000 });
  });
});

describe('a broker at an IPv6 address', () => {
  let server: Server;

  beforeAll(async () => {
    const [host, port] = broker.brokers.split(',')[0]!.split(':');
    server = createServer((socket) => {
      const through = connect(Number(port), host);
      socket.pipe(through).pipe(socket);
      for (const end of [socket, through]) {
        end.on('error', () => undefined).on('close', () => (socket.destroy(), through.destroy()));
      }
    });
    server.listen(0, '::1');
    await once(server, 'listening');
  });

  afterAll(async () => {
    server.close();
    await once(server, 'close');
  });

  it('regression: is reached, as the environment names it', async () => {
    const brokers = [`[::1]:${(server.address() as AddressInfo).port}`];
    const found = await inspectTopics({ ...connection, brokers }, [topic], logger);
    expect(found.get(topic)).toMatchObject({ name: topic, partitions: 2 });
  });
});
