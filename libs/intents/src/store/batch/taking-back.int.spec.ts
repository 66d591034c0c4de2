import type { BusinessKey, RoutedIntent } from '#intents/core';

import { deliverOne } from '../../testing/lease.js';
import type { Batches, TestEvent } from '../../testing/records.js';
import { cancelling, purchase, purchaseKey, Till, transactionIntent, waysToBatch } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(8);
});

afterEach(() => store.close());

const told = (...batches: Batches): Promise<string[]> => new Till(store).recordInBatches(...batches);

async function intents(): Promise<string[]> {
  const rows = await store.sql<{ purchase_id: string }>('SELECT purchase_id FROM intent ORDER BY lane_id, seq');
  return rows.map((row) => row.purchase_id);
}

const ownKey = (scope: 'void' | 'revocation'): BusinessKey => ({ scope, parts: ['p'], perGeneration: false });
const parked = { reason: 'unroutable', detail: 'revoked: the program does not say how to take it back' } as const;

const mapped: readonly (readonly [name: string, change: Partial<RoutedIntent>])[] = [
  ['a void that is a transaction', { businessKey: ownKey('void') }],
  ['a revocation that is a reward', { businessKey: ownKey('revocation'), operation: 'reward' }],
  ['a revocation that a person must see', { businessKey: ownKey('revocation'), command: null, parked }],
];

describe.each(mapped)('%s', (_name, change) => {
  /** Takes `p` back. */
  function takingBack(id: string, content = 'by mistake'): TestEvent {
    const event = cancelling(id, 'a', purchaseKey('p'));
    const ifTooLate = transactionIntent('a', 'counter', { businessContent: content, ...change });
    const cancels = event.verdict.cancels.map((cancel) => ({ ...cancel, ifTooLate }));
    return { ...event, verdict: { ...event.verdict, cancels } };
  }

  describe.each(waysToBatch)('told by several events %s', (_way, split) => {
    it('takes back once what was delivered; with other content it is a conflict', async () => {
      await told([purchase('p', 'a')]);
      await deliverOne(store);
      const events = [takingBack('v1'), takingBack('v2'), takingBack('v3', 'other'), takingBack('v2')];
      expect(await told(...split(events))).toEqual([
        ...['recorded', 'duplicate-business-key', 'conflict', 'duplicate-event'],
      ]);
      expect(await intents()).toEqual(['p', 'counter']);
    });

    it('cancels what is queued and leaves nothing more to do', async () => {
      const events = [purchase('p', 'a'), takingBack('v1'), takingBack('v2'), takingBack('v3', 'other')];
      expect(await told(...split(events))).toEqual([
        ...['recorded', 'recorded', 'nothing-to-cancel', 'nothing-to-cancel'],
      ]);
      expect(await intents()).toEqual(['p']);
    });

    it('told before what it takes back stands in a list, and goes with that', async () => {
      await told(...split([takingBack('v1'), purchase('p', 'a')]));
      expect(await told(...split([takingBack('v2'), takingBack('v3')]))).toEqual([
        ...['nothing-to-cancel', 'nothing-to-cancel'],
      ]);
      expect(await intents()).toEqual(['counter', 'p']);
    });
  });

  it('is remembered with the place of its counter-entry, its event as well', async () => {
    await told([purchase('p', 'a')]);
    await deliverOne(store);
    await told([takingBack('v1')]);
    const rows = await store.sql('SELECT kind, seq FROM dedup WHERE seq IS DISTINCT FROM 1 ORDER BY kind');
    expect(rows).toEqual([
      { kind: 'business', seq: 2 },
      { kind: 'event', seq: 2 },
    ]);
  });

  it('told on several partitions at the same time takes back once', async () => {
    await told([purchase('p', 'a')]);
    await deliverOne(store);
    const tills = Array.from({ length: 6 }, () => new Till(store));
    const results = await Promise.all(tills.map((till, by) => till.record(takingBack(`v${by}`))));
    expect(results.map(({ intents: count }) => count).toSorted()).toEqual([0, 0, 0, 0, 0, 1]);
    expect(await intents()).toEqual(['p', 'counter']);
  });
});
