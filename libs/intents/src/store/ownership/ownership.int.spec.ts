import { beginOf, claim, claimOne, stepOf, applied } from '../../testing/lease.js';
import { now, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { recordSteps } from '../lanes/record-steps.js';
import {
  FencedDatabaseError,
  findOwnership,
  giveOwnership,
  leaveOwnership,
  OwnershipRefusedError,
  releaseOwnership,
  requireOwnership,
  takeShard,
} from './ownership.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
  await requireOwnership(store.database, now);
});

afterEach(() => store.close());

const audit = { at: now, actor: 'spec', address: null, reason: 'a move' };

/** As a copy of the rows on another server finds itself. */
const copied = (state = 'held'): Promise<unknown> =>
  store.sql(`UPDATE ownership SET place = '1/1', state = '${state}'`);

const own = (othersAreGone = false) => giveOwnership(store.owned, { audit, othersAreGone });

const steps = (lease: Parameters<typeof stepOf>[0], parts: Parameters<typeof stepOf>[1]) =>
  recordSteps(store.database, { steps: [stepOf(lease, parts)], now, isRetry: false }, store.keys);

describe('a database', () => {
  it('has the epoch from its first start on, and needs no word for it', async () => {
    await requireOwnership(store.database, now);
    expect(await findOwnership(store.database)).toMatchObject({ epoch: 1, state: 'held' });
  });

  it('says where it is by the server and its own number there', async () => {
    const [row] = await store.sql<{ place: string }>(
      `SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || oid AS place FROM pg_database WHERE datname = current_database()`,
    );
    expect((await findOwnership(store.database))?.here).toBe(row?.place);
  });
});

describe('a copied database', () => {
  it('starts fenced', async () => {
    await copied();
    await expect(requireOwnership(store.database, now)).rejects.toThrow(FencedDatabaseError);
  });

  it('claims nothing', async () => {
    await till.withPurchases(1);
    await copied();
    expect(await claim(store)).toEqual([]);
  });

  it('begins nothing of what was claimed before, and records what was answered', async () => {
    await till.withPurchases(2);
    const lease = await claimOne(store);
    const [begun] = await steps(lease, { begin: beginOf(lease.seq) });
    expect(begun).toMatchObject({ begun: true });
    await copied();
    const open = { ...lease, attempt: 1, attemptOpen: true };
    const next = beginOf(lease.seq + 1);
    const [result] = await steps(open, { completion: applied(open), carriesAnswer: true, begin: next });
    expect(result).toMatchObject({ completed: true, begun: false });
  });

  it('records nothing, and lets who records wait', async () => {
    await copied();
    await expect(till.withPurchases(1)).rejects.toMatchObject({ kind: 'unavailable', sqlState: '25006' });
    expect(await store.sql('SELECT FROM intent')).toEqual([]);
  });

  it('is given the epoch once it shows the release, beyond all numbers that are in use', async () => {
    await till.withPurchases(2);
    await copied('released');
    await store.sql("SELECT setval('event_pos_seq', 1), setval('lane_id_seq', 1)");
    expect(await own()).toMatchObject({ epoch: 2 });
    await requireOwnership(store.database, now);
    const [last] = await store.sql<{ pos: number }>('SELECT max(pos) AS pos FROM intent');
    const [next] = await store.sql<{ pos: number }>("SELECT nextval('event_pos_seq') AS pos");
    expect(next!.pos).toBeGreaterThan(last!.pos);
    await till.withPurchases(1);
    expect(await claim(store)).toHaveLength(2);
    const [action] = await store.sql('SELECT actor, action, detail FROM operator_action');
    expect(action).toMatchObject({ actor: 'spec', action: 'database.own', detail: { epoch: 2, from: '1/1' } });
  });

  it('is not given it while the other one may send, but by a word', async () => {
    await copied();
    await expect(own()).rejects.toThrow('may still send');
    await copied('leaving');
    await expect(own()).rejects.toThrow('may still send');
    expect(await own(true)).toMatchObject({ epoch: 2 });
    await expect(own(true)).rejects.toThrow(OwnershipRefusedError);
  });

  it('is given it by the owner of the tables alone', async () => {
    await copied('released');
    await expect(giveOwnership(store.database, { audit, othersAreGone: true })).rejects.toThrow('owns the tables');
  });

  it('has all of its sequences advanced', async () => {
    await copied('released');
    await own();
    const idle = await store.sql(
      'SELECT sequencename, last_value FROM pg_sequences WHERE last_value IS NULL OR last_value < 2',
    );
    expect(idle).toEqual([]);
  });
});

describe('a database that is given up', () => {
  it('begins and records nothing more, and is released once nothing is under way', async () => {
    await till.withPurchases(2);
    const lease = await claimOne(store);
    await steps(lease, { begin: beginOf(lease.seq) });
    await leaveOwnership(store.owned, audit);
    expect(await releaseOwnership(store.owned, now)).toBe(false);
    await expect(till.withPurchases(1)).rejects.toMatchObject({ sqlState: '25006' });
    const open = { ...lease, attempt: 1, attemptOpen: true };
    const [result] = await steps(open, { completion: applied(open), carriesAnswer: true });
    expect(result).toMatchObject({ completed: true });
    expect(await releaseOwnership(store.owned, now)).toBe(true);
    await expect(requireOwnership(store.database, now)).rejects.toThrow('given up');
  });

  it('waits no longer than the lease of who has died', async () => {
    await till.withPurchases(1);
    const lease = await claimOne(store);
    await steps(lease, { begin: beginOf(lease.seq) });
    await leaveOwnership(store.owned, audit);
    expect(await releaseOwnership(store.owned, now)).toBe(false);
    expect(await releaseOwnership(store.owned, now + 10 * 60_000)).toBe(true);
  });

  it('waits for who has looked already, and has not committed', async () => {
    const looked = Promise.withResolvers<undefined>();
    const mayEnd = Promise.withResolvers<undefined>();
    const recording = store.database.transaction('looks', async (session) => {
      await session.query({
        name: 'looks',
        text: 'SELECT require_ownership(ARRAY[0]) FROM (SELECT FROM kafka_offset FOR UPDATE) o',
      });
      looked.resolve(undefined);
      await mayEnd.promise;
    });
    await looked.promise;
    let hasLeft = false;
    const leaving = leaveOwnership(store.owned, audit).then(() => (hasLeft = true));
    const waits = async (): Promise<boolean> =>
      (await store.sql("SELECT FROM pg_locks WHERE NOT granted AND relation = 'kafka_offset'::regclass")).length > 0;
    while (!(await waits())) expect(hasLeft).toBe(false);
    mayEnd.resolve(undefined);
    await Promise.all([recording, leaving]);
    expect(await findOwnership(store.database)).toMatchObject({ state: 'leaving' });
  });

  it('is taken back by a word', async () => {
    await leaveOwnership(store.owned, audit);
    expect(await releaseOwnership(store.owned, now)).toBe(true);
    await expect(own()).rejects.toThrow('a copy of it may work');
    expect(await own(true)).toMatchObject({ epoch: 2 });
    await requireOwnership(store.database, now);
  });
});

describe('a shard', () => {
  const shard = { shop: 'coffee', count: 400, partitions: [300, 301] };

  it('is an empty database that was told its partitions, and records of no others', async () => {
    await takeShard(store.owned, shard, audit);
    expect((await findOwnership(store.database))?.shard).toEqual(shard);
    await expect(till.withPurchases(1)).rejects.toMatchObject({ kind: 'unavailable', sqlState: '25006' });
    await store.sql('UPDATE ownership SET partitions = ARRAY[$1::int]', till.source.partition);
    await till.withPurchases(1);
    expect(await claim(store)).toHaveLength(1);
  });

  it('is made of no database that reads already', async () => {
    await till.withPurchases(1);
    await expect(takeShard(store.owned, shard, audit)).rejects.toThrow('only an empty one');
    await expect(takeShard(store.database, shard, audit)).rejects.toThrow('owns the tables');
  });
});
