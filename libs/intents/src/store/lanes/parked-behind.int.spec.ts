import type { IdentityPlace } from '#intents/core';

import { IntentActionRepository } from '../operator/intent-action-repository.js';
import type { Lease } from '../../testing/lease.js';
import { begin, claim, completion, leaseOf, record, stepOf, whileLocked } from '../../testing/lease.js';
import { historyOf, laneOf, now, purchase, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { LaneStep } from './record-steps.js';

let store: TestStore;
let till: Till;
let sale: IdentityPlace;
let refund: Lease;

const refused = { completed: false, begun: false };

/** The sale of one member is parked, and the refund of another one's that goes after it is in our hands. */
beforeEach(async () => {
  store = await testStore(6);
  till = new Till(store);
  await till.record(purchase('p1', 'a'), purchase('r1', 'b'));
  const [a, b] = await leases();
  const events = [
    { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' },
    { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' },
  ] as const;
  const begun = await begin(store, a);
  await record(store, stepOf(begun, { completion: completion(begun, 'settle', { events }) }));
  sale = { laneId: a.laneId, seq: 1 };
  refund = b;
});

afterEach(() => store.close());

async function leases(): Promise<[Lease, Lease]> {
  const { lane_id: first } = await laneOf(store, 'a');
  const both = (await claim(store)).map(leaseOf).toSorted((one, other) => one.laneId - other.laneId);
  const [a, b] = both[0]?.laneId === first ? both : both.toReversed();
  if (a === undefined || b === undefined) throw new Error('two lanes are due');
  return [a, b];
}

function parking(lease: Lease): LaneStep {
  const parked = { type: 'IntentParked', at: now, reason: 'missing-purchase', lane: 'continue', awaits: sale } as const;
  return stepOf(lease, { completion: completion(lease, 'settle', { events: [parked] }) });
}

const replay = async (place = sale): Promise<unknown> => {
  const audit = { at: now, actor: 'ada', address: null, reason: 'mended' };
  return new IntentActionRepository(store.database, store.keys.members).act({
    place,
    action: { kind: 'replay' },
    audit,
  });
};

const parkedAndReleased = ['1 IntentRecorded', '1 IntentParked', '1 IntentReplayed'];

describe('what parks behind an intent of another lane', () => {
  it('comes back when that is put back', async () => {
    expect(await record(store, parking(refund))).toMatchObject({ completed: true });
    expect(await replay()).toMatchObject({ kind: 'done' });
    expect(await historyOf(store, 'b')).toEqual(parkedAndReleased);
    expect(await laneOf(store, 'b')).toMatchObject({ cur_seq: 1, redo: [1] });
  });

  it('does not park where that was put back since it was looked at: nobody would send it', async () => {
    await replay();
    expect(await record(store, parking(refund))).toMatchObject(refused);
    expect(await historyOf(store, 'b')).toEqual(['1 IntentRecorded']);
  });

  it('does not park while that is being put back', async () => {
    const result = await whileLocked(
      store,
      async (session) => {
        const inSession = { transaction: async (_name: string, work: (with_: unknown) => unknown) => work(session) };
        const audit = { at: now, actor: 'ada', address: null, reason: 'mended' };
        const request = { place: sale, action: { kind: 'replay' }, audit } as const;
        return new IntentActionRepository(inSession as never, store.keys.members).act(request);
      },
      () => record(store, parking(refund)),
    );
    expect(result).toMatchObject(refused);
    expect(await historyOf(store, 'b')).toEqual(['1 IntentRecorded']);
  });

  it('is found by who puts that back while it parks', async () => {
    await whileLocked(
      store,
      async (session) => {
        const inSession = { transaction: async (_name: string, work: (with_: unknown) => unknown) => work(session) };
        return record({ ...store, database: inSession } as never, parking(refund));
      },
      () => replay(),
    );
    expect(await historyOf(store, 'b')).toEqual(parkedAndReleased);
  });

  it('does not count as put back by a person, however often that is', async () => {
    await record(store, parking(refund));
    for (let times = 1; times <= 6; times += 1) {
      await store.sql(`INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
        SELECT ${refund.laneId}, 1, version + 1, 0, epoch, 'IntentReplayed', now(), '{"by": "loyaltyd", "reason": "purchase-decided"}'
        FROM lane WHERE lane_id = ${refund.laneId}`);
      await store.sql(`UPDATE lane SET version = version + 1 WHERE lane_id = ${refund.laneId}`);
    }
    await store.sql(`INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
      SELECT ${refund.laneId}, 1, version + 1, 0, epoch, 'IntentParked', now(), '{"reason": "missing-purchase", "lane": "continue"}'
      FROM lane WHERE lane_id = ${refund.laneId}`);
    await store.sql(`UPDATE lane SET version = version + 1 WHERE lane_id = ${refund.laneId}`);
    expect(await replay({ laneId: refund.laneId, seq: 1 })).toMatchObject({ kind: 'done' });
  });
});
