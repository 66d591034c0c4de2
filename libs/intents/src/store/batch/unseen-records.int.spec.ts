import {
  batchOf,
  cancelling,
  now,
  prepared,
  purchase,
  purchaseKey,
  source,
  type TestEvent,
} from '../../testing/records.js';
import { type TestStore, testStore } from '../../testing/test-store.js';
import { ChunkRepository } from './chunk-repository.js';
import { startOffset } from './partition-offsets.js';

let store: TestStore;

beforeAll(async () => {
  store = await testStore();
});

afterAll(() => store.close());

let partitions = 0;

/** One process: what it records, and the statements that it sends for it. */
async function consumer() {
  partitions += 1;
  const from = { ...source, topic: 'unseen', partition: partitions };
  await startOffset(store.database, from, 0);
  const database = Object.create(store.database) as TestStore['database'];
  let sent: string[] = [];
  database.transaction = (name, work) =>
    store.database.transaction(name, (session) => {
      sent.push('BEGIN');
      const query: typeof session.query = (statement, parameters) => {
        sent.push(statement.name);
        return session.query(statement, parameters);
      };
      return work({ ...session, query });
    });
  const repository = new ChunkRepository(database, store.keys);
  let offset = 0;
  return async (...events: readonly TestEvent[]) => {
    sent = [];
    const records = events.map((event, index) => prepared(event, offset + index));
    const { nextOffset, ...batch } = batchOf(records, { source: from });
    const [result] = await repository.record({ ...batch, parts: [{ ...batch, nextOffset }], now });
    offset = nextOffset;
    const outcomes = result!.results.map((each) => ('reason' in each ? each.reason : each.kind));
    const looks = sent.filter((name) => name === 'find_identities').length;
    return { outcomes, looks, transactions: sent.filter((name) => name === 'BEGIN').length };
  };
}

describe('a chunk of sales', () => {
  it('is written without being looked up, where all of them are new', async () => {
    const record = await consumer();
    for (const at of ['1', '2']) {
      const told = await record(purchase(`n${at}`, 'a'), purchase(`o${at}`, 'b'));
      expect(told).toEqual({ outcomes: ['recorded', 'recorded'], looks: 0, transactions: 1 });
    }
  });

  it('that holds a known one is looked up then, and chunks behind it before, until many have held none', async () => {
    const record = await consumer();
    await record(purchase('k1', 'a'));
    const again = await record(purchase('k2', 'a'), purchase('k3', 'a', 'k1'));
    expect(again).toEqual({ outcomes: ['recorded', 'duplicate-business-key'], looks: 1, transactions: 2 });
    expect(await record(purchase('k1', 'a'))).toEqual({ outcomes: ['duplicate-event'], looks: 1, transactions: 1 });
    let lookedUp = 0;
    for (let chunk = 0; (await record(purchase(`q${chunk}`, 'a'))).looks > 0; chunk += 1) lookedUp += 1;
    expect(lookedUp).toBe(64);
  });

  it('is looked up where it holds one twice, for its second tells nothing new', async () => {
    const record = await consumer();
    const told = await record(purchase('t1', 'a'), purchase('t1', 'a'), purchase('t2', 'a', 't1'));
    const outcomes = ['recorded', 'duplicate-event', 'duplicate-business-key'];
    expect(told).toEqual({ outcomes, looks: 1, transactions: 1 });
  });

  it('is looked up beside a void, which says something of another record', async () => {
    const record = await consumer();
    const told = await record(purchase('v1', 'a'), cancelling('v2', 'a', purchaseKey('v1')));
    expect(told).toMatchObject({ outcomes: ['recorded', 'recorded'], transactions: 1 });
    expect(told.looks).toBeGreaterThan(0);
    expect(await store.sql("SELECT FROM intent_standing WHERE status = 'cancelled'")).toHaveLength(1);
  });
});
