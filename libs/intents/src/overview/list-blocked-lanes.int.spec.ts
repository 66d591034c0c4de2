import type { IntentEvent } from '#domain';

import { begin, claimOne, completion, record, stepOf } from '../testing/lease.js';
import { enrolment, now, purchase, Till } from '../testing/records.js';
import type { TestStore } from '../testing/test-store.js';
import { testStore } from '../testing/test-store.js';
import { listBlockedLanes } from './list-blocked-lanes.js';

let store: TestStore;

beforeAll(async () => {
  store = await testStore(2);
});

afterAll(() => store.close());

it('a blocked lane shows what holds it, why, since when, and how much waits behind', async () => {
  const till = new Till(store);
  await till.record(enrolment('e', 'm-1'), purchase('p', 'm-1'), purchase('q', 'm-1'));
  const lease = await begin(store, await claimOne(store));
  const events: IntentEvent[] = [
    { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' },
    { type: 'IntentParked', at: now + 5, reason: 'rejected', lane: 'block' },
  ];
  await record(store, stepOf(lease, { completion: completion(lease, 'block', { events }) }));
  await till.record(purchase('x', 'm-2'));
  const expected = { program: 'coffee-club', memberId: 'm-1', seq: 1, operation: 'issue', reason: 'rejected' };
  const found = await listBlockedLanes(store.database, { after: 0, program: 'coffee-club' });
  expect(found).toEqual([{ laneId: lease.laneId, ...expected, blockedSince: now + 5, behind: 2 }]);
  expect(await listBlockedLanes(store.database, { after: lease.laneId, program: null })).toEqual([]);
  expect(await listBlockedLanes(store.database, { after: 0, program: 'other' })).toEqual([]);
});
