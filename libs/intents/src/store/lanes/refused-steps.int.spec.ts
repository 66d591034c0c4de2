import type { Decision, DeliveryPolicy, IntentEvent, IntentState } from '#intents/core';
import { decide, evolve } from '#intents/core';
import type { Database } from '#platform';

import type { Lease } from '../../testing/lease.js';
import {
  applied,
  begin,
  beginOf,
  claim,
  claimOne,
  completion,
  owner,
  record,
  stepOf,
  waitForPass,
  whileLocked,
} from '../../testing/lease.js';
import { cancelling, historyOf, laneOf, now, purchase, purchaseKey, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { releaseLanes } from './claim-lanes.js';
import { recordLateOutcomes } from './record-late-outcomes.js';
import type { LaneStep, StepResult } from './record-steps.js';
import { recordSteps } from './record-steps.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
  await till.record(purchase('p1', 'a'), purchase('p2', 'a'));
});

afterEach(() => store.close());

const refused = { completed: false, begun: false };

const transactionPolicy: DeliveryPolicy = {
  ...{ operation: 'transaction', resolution: 'park', onPark: 'continue', spendsPoints: false, pointsDelta: null },
  ...{
    retries: { maxAttempts: 3, maxAgeMs: 3_600_000 },
    missingPassWaitMs: 60_000,
    missingPurchaseWaitMs: 60_000,
    postsUnknownRefunds: false,
    inFlightMs: 1_000,
  },
};

function fold(state: IntentState, decision: Decision): IntentState {
  return decision.kind === 'events' ? decision.events.reduce(evolve, state) : state;
}

async function cancel(purchaseId: string): Promise<void> {
  await till.record(cancelling(`v-${purchaseId}`, 'a', purchaseKey(purchaseId)));
}

/** Runs the step twice; the second call starts while the first still holds the lane's lock. */
async function crossing(step: LaneStep): Promise<StepResult> {
  return whileLocked(
    store,
    (session) => {
      const database: Pick<Database, 'execute' | 'transaction'> = {
        execute: session.query.bind(session),
        transaction: (_name, work) => work(session),
      };
      return recordSteps(database, { steps: [step], now, isRetry: false }, store.keys);
    },
    () => record(store, step, true),
  );
}

/** An intent that waits for its pass, leased again when it is looked up once more. */
async function waitingLease(): Promise<Lease> {
  const lease = await claimOne(store);
  await record(store, stepOf(lease, { completion: waitForPass(lease) }));
  return claimOne(store, { now: now + 1_000 });
}

describe('what a lease holder decided without having read that the intent was cancelled', () => {
  it('is refused: waiting for the pass does not bring it back', async () => {
    const lease = await claimOne(store);
    await cancel('p1');
    expect(await record(store, stepOf(lease, { completion: waitForPass(lease) }))).toMatchObject(refused);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '2 IntentRecorded', '1 IntentCancelled']);
  });

  it('is refused: a release that goes with a begin does not bring it back', async () => {
    const lease = await waitingLease();
    await cancel('p1');
    const released = completion(lease, 'stay', { events: [{ type: 'IntentReleased', at: now }] });
    expect(await record(store, stepOf(lease, { completion: released, begin: beginOf(1) }))).toMatchObject(refused);
    expect((await historyOf(store, 'a')).at(-1)).toBe('1 IntentCancelled');
  });

  it('is refused: the lane is not moved over an intent that another event may have changed', async () => {
    const lease = await claimOne(store);
    await cancel('p2');
    expect(await record(store, stepOf(lease, { completion: completion(lease, 'settle') }))).toMatchObject(refused);
    expect(await laneOf(store, 'a')).toMatchObject({ cur_seq: 1, owner });
  });

  it('is refused, but the outcome of an open attempt counts all the same', async () => {
    const lease = await begin(store, await claimOne(store));
    await cancel('p2');
    const step = stepOf(lease, { completion: applied(lease), begin: beginOf(2) });
    expect(await record(store, step)).toMatchObject({ completed: true, begun: false });
  });
});

describe('an answer that would park what was voided meanwhile', () => {
  const rejected: IntentEvent[] = [
    { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' },
    { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' },
  ];

  it('is refused: its holder has not read the void; told late, it cancels', async () => {
    const lease = await begin(store, await claimOne(store));
    await cancel('p1');
    expect(
      await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: rejected }) })),
    ).toEqual(expect.objectContaining(refused));
    const { laneId, epoch, seq, key } = lease;
    const late = { type: 'LateOutcome', at: now, attempt: 1, outcome: 'rejected', code: 'refused' } as const;
    await recordLateOutcomes(store.database, [{ laneId, epoch, seq, key, event: late, evidence: null }], store.keys);
    // The lane is due at once: who waits for it does not wait for the lease.
    const [lane] = await claim(store);
    const state = lane!.intents.get(1)!.state;
    const lost = { type: 'RecordLostAttempt', at: now, policy: transactionPolicy, chance: 0 } as const;
    const open = fold(state, decide(state, lost));
    const resolved = decide(open, { type: 'ResolveUnknown', at: now, policy: transactionPolicy, chance: 0 });
    expect(fold(open, resolved).status).toBe('cancelled');
  });

  it('counts where it does not park: the call was applied, or cancels what it refuses', async () => {
    const lease = await begin(store, await claimOne(store));
    await cancel('p1');
    expect(await record(store, stepOf(lease, { completion: applied(lease) }))).toMatchObject({ completed: true });
  });

  it('parks where its holder had read the void', async () => {
    const first = await begin(store, await claimOne(store));
    await cancel('p1');
    const lease = { ...first, revision: first.revision + 1 };
    const events = rejected.slice(1).map((event) => ({ ...event, reason: 'unknown-outcome' }) as IntentEvent);
    const step = stepOf(lease, { completion: completion(lease, 'settle', { events }) });
    expect(await record(store, step)).toMatchObject({ completed: true });
  });
});

describe('a refusal as duplicate that would prove an earlier attempt', () => {
  const proof: IntentEvent[] = [
    { type: 'AttemptRejected', at: now, attempt: 1, code: 'duplicate' },
    { type: 'VerifiedApplied', at: now, attempt: 1, evidence: 'duplicate-refusal' },
  ];

  it('is refused where that was reported meanwhile as answered otherwise than asked', async () => {
    const lease = await begin(store, await claimOne(store));
    const { laneId, epoch, seq, key } = lease;
    const late = { type: 'LateOutcome', at: now, attempt: 1, outcome: 'unknown', code: 'answered-otherwise' } as const;
    await recordLateOutcomes(store.database, [{ laneId, epoch, seq, key, event: late, evidence: null }], store.keys);
    const step = stepOf(lease, { completion: completion(lease, 'settle', { events: proof }) });
    expect(await record(store, step)).toMatchObject(refused);
  });

  it('counts whatever else became known', async () => {
    const lease = await begin(store, await claimOne(store));
    await cancel('p1');
    const step = stepOf(lease, { completion: completion(lease, 'settle', { events: proof }) });
    expect(await record(store, step)).toMatchObject({ completed: true });
  });
});

describe('a begin', () => {
  it('is refused when it is recorded after the time to send it: a repeated group commit comes too late', async () => {
    const lease = await claimOne(store);
    const late = { ...beginOf(1)!, sendBy: now - 1 };
    expect(await record(store, stepOf(lease, { begin: late }), true)).toMatchObject(refused);
    expect(await laneOf(store, 'a')).toMatchObject({ attempt_open: false, owner });
  });

  it('that comes too late does not take back the completion merged with it', async () => {
    const lease = await begin(store, await claimOne(store));
    const late = { ...beginOf(2)!, sendBy: now - 1 };
    const step = stepOf(lease, { completion: applied(lease), begin: late });
    expect(await record(store, step)).toMatchObject({ completed: true, begun: false });
  });

  it('that comes too late is found when the first call has recorded it in time', async () => {
    const lease = await claimOne(store);
    const step = stepOf(lease, { begin: beginOf(1) });
    await record(store, step);
    const again = { steps: [step], now: now + 60_000, isRetry: true };
    expect(await recordSteps(store.database, again, store.keys)).toMatchObject([{ begun: true }]);
  });
});

describe('a step that ends its lease', () => {
  it('appends nothing twice when it is repeated while the first call still runs: waiting', async () => {
    const lease = await claimOne(store);
    const result = await crossing(stepOf(lease, { completion: waitForPass(lease) }));
    expect(result).toMatchObject({ completed: true });
    expect((await historyOf(store, 'a')).slice(2)).toEqual(['1 PassAbsent', '1 WaitingBegan']);
  });

  it('appends nothing twice when it is repeated while the first call still runs: a pass found', async () => {
    const lease = await claimOne(store);
    const found = completion(lease, 'stay', { events: [{ type: 'PassFound', at: now }], pass: 'known' });
    expect(await crossing(stepOf(lease, { completion: found }))).toMatchObject({ completed: true });
    expect((await historyOf(store, 'a')).slice(2)).toEqual(['1 PassFound']);
  });

  it('is the last one: a released lane takes no step under the old lease', async () => {
    const lease = await claimOne(store);
    await releaseLanes(store.database, { lanes: [lease], owner, now });
    expect(await record(store, stepOf(lease, { begin: beginOf(1) }))).toMatchObject(refused);
  });
});
