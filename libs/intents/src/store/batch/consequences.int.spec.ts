import type { CancelRequest } from '#intents/core';
import { laneDetoursMax } from '#intents/core';

import {
  begin,
  beginOf,
  claim,
  claimOne,
  completion,
  deliverOne,
  record,
  stepOf,
  waitForPass,
} from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import {
  cancelling,
  enrolment,
  historyOf,
  laneOf,
  now,
  program,
  purchase,
  purchaseKey,
  Till,
  transactionIntent,
  update,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

async function operations(): Promise<string[]> {
  const rows = await store.sql<{ operation: string }>('SELECT operation FROM intent ORDER BY lane_id, seq');
  return rows.map(({ operation }) => operation);
}

const voided = (id: string, purchaseId: string, change: Partial<CancelRequest> = {}): TestEvent => {
  const event = cancelling(id, 'a', purchaseKey(purchaseId));
  const [cancel] = event.verdict.cancels;
  return { ...event, verdict: { ...event.verdict, cancels: [{ ...cancel!, ...change }] } };
};

describe('a void', () => {
  it('cancels a purchase that was not begun; the lane steps over it', async () => {
    await till.recordOutcomes(purchase('p1', 'a'), purchase('p2', 'a'));
    expect(await till.recordOutcomes(voided('v', 'p1'))).toEqual(['recorded']);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '2 IntentRecorded', '1 IntentCancelled']);
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: completion(lease, 'settle') }));
    expect(await laneOf(store, 'a')).toMatchObject({ cur_seq: 2, due_at: now });
  });

  it('of the same batch cancels what came before it, and what comes after it', async () => {
    expect(await till.recordOutcomes(voided('v0', 'p1'), purchase('p1', 'a'))).toEqual(['recorded', 'recorded']);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCancelled']);
    expect(await till.recordOutcomes(purchase('p2', 'a'), voided('v2', 'p2'))).toEqual(['recorded', 'recorded']);
    expect((await historyOf(store, 'a')).at(-1)).toBe('2 IntentCancelled');
  });

  it('cancels what waits for its pass, and the lane comes back at once', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    await till.recordOutcomes(voided('v', 'p1'));
    expect(await laneOf(store, 'a')).toMatchObject({ state: 'live', due_at: now, cur_seq: 1 });
    const [lane] = await claim(store);
    expect(lane!.intents.get(1)?.state.status).toBe('cancelled');
  });

  it('is remembered of what is being sent, once, and comes too late for what was delivered', async () => {
    await till.recordOutcomes(purchase('p1', 'a'), purchase('p2', 'a'));
    const lease = await begin(store, await claimOne(store));
    expect(await till.recordOutcomes(voided('v1', 'p1'), voided('v3', 'p1'))).toEqual([
      ...['recorded', 'void-after-delivery'],
    ]);
    expect((await historyOf(store, 'a')).at(-1)).toBe('1 CancelRequested');
    const event = { type: 'AttemptApplied', at: now, attempt: 1 } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [event] }) }));
    expect(await till.recordOutcomes(voided('v2', 'p1'))).toEqual(['void-after-delivery']);
    expect(await historyOf(store, 'a')).not.toContain('1 IntentCancelled');
  });

  it('that comes too late is recorded as its counter-entry, in its place', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    await deliverOne(store);
    const ifTooLate = transactionIntent('a', 'counter', { businessKey: null });
    expect(
      await till.recordOutcomes(purchase('p2', 'a'), voided('v', 'p1', { ifTooLate }), purchase('p3', 'a')),
    ).toEqual([...['recorded', 'recorded', 'recorded']]);
    const rows = await store.sql('SELECT purchase_id FROM intent ORDER BY seq');
    expect(rows.map((row) => (row as { purchase_id: string }).purchase_id)).toEqual(['p1', 'p2', 'counter', 'p3']);
  });

  it('told twice cancels once', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    expect(await till.recordOutcomes(voided('v', 'p1'), voided('v', 'p1'), voided('w', 'p1'))).toEqual([
      ...['recorded', 'duplicate-event', 'nothing-to-cancel'],
    ]);
    expect((await historyOf(store, 'a')).filter((line) => line.endsWith('IntentCancelled'))).toHaveLength(1);
  });

  it('is an operator\u2019s word: the begin of a holder that has not seen it is refused', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    const lease = await claimOne(store);
    await till.recordOutcomes(voided('v', 'p1'));
    expect(await record(store, stepOf(lease, { begin: beginOf(1) }))).toMatchObject({
      begun: false,
    });
  });
});

describe('leaving the program', () => {
  const leaving = (id: string): TestEvent => {
    const event = update(id, 'a');
    const cancel = {
      program,
      memberId: 'a',
      target: 'everything-queued',
      reason: 'opted-out',
      ifTooLate: null,
    } as const;
    const memberEffects = { raisesGeneration: true, erase: false };
    return { ...event, verdict: { ...event.verdict, cancels: [cancel], memberEffects } };
  };

  it('cancels what is queued, neither its own update nor what comes after it', async () => {
    const events = [purchase('p1', 'a'), purchase('p2', 'a'), leaving('l'), purchase('p3', 'a')];
    expect(await till.recordOutcomes(...events)).toEqual(['recorded', 'recorded', 'recorded', 'recorded']);
    expect((await historyOf(store, 'a')).filter((line) => line.endsWith('IntentCancelled'))).toEqual([
      ...['1 IntentCancelled', '2 IntentCancelled'],
    ]);
    expect(await operations()).toEqual(['transaction', 'transaction', 'update-via-workflow', 'transaction']);
  });

  it('lets the member enrol again with the same content', async () => {
    const again = { ...enrolment('e2', 'a'), content: 'again' };
    expect(await till.recordOutcomes(enrolment('e', 'a'), leaving('l'), again, { ...again, id: 'e3' })).toEqual([
      ...['recorded', 'recorded', 'recorded', 'duplicate-business-key'],
    ]);
    expect(await operations()).toEqual(['issue', 'update-via-workflow', 'issue']);
  });

  it('leaves another member alone', async () => {
    await till.recordOutcomes(purchase('b1', 'b'), purchase('a1', 'a'), leaving('l'));
    expect(await historyOf(store, 'b')).toEqual(['1 IntentRecorded']);
  });
});

describe('a lane with as many detours as it may have', () => {
  it('lets an enrolment keep its place instead of going first', async () => {
    await till.recordOutcomes(purchase('p1', 'a'));
    const lease = await claimOne(store);
    await record(store, stepOf(lease, { completion: waitForPass(lease) }));
    const redo = Array.from({ length: laneDetoursMax }, () => 1);
    await store.sql('UPDATE lane SET redo = $1::int[]', redo);
    await till.recordOutcomes(enrolment('e', 'a'));
    const lane = await laneOf(store, 'a');
    expect(lane).toMatchObject({ cur_seq: 1, state: 'waiting', issue_seq: 2 });
    expect(lane.redo).toHaveLength(laneDetoursMax);
  });
});

describe('an enrolment with other content', () => {
  const firstNameSent = async (): Promise<unknown> => {
    const [lane] = await claim(store, { now: now + 3_600_000 });
    const command = lane!.intents.get(1)?.command;
    return command?.operation === 'issue' ? command.content.person?.['firstName'] : undefined;
  };

  it.each([
    [
      'in another batch',
      async () => [
        ...(await till.recordOutcomes(enrolment('e', 'a', 'Old'))),
        ...(await till.recordOutcomes(enrolment('f', 'a', 'New'))),
      ],
    ],
    ['in the same batch', async () => till.recordOutcomes(enrolment('e', 'a', 'Old'), enrolment('f', 'a', 'New'))],
  ])('corrects the first one before it is begun: %s', async (_name, tell) => {
    expect(await tell()).toEqual(['recorded', 'recorded']);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCorrected']);
    expect(await firstNameSent()).toBe('New');
  });

  it('corrects it also when it is parked, and sends it', async () => {
    await till.recordOutcomes(enrolment('e', 'a', 'Old'));
    const lease = await begin(store, await claimOne(store));
    const rejected = { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' } as const;
    const parked = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'block' } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'block', { events: [rejected, parked] }) }));
    expect(await till.recordOutcomes(enrolment('f', 'a', 'New'))).toEqual(['recorded']);
    expect((await historyOf(store, 'a')).slice(-2)).toEqual(['1 IntentCorrected', '1 IntentReplayed']);
    expect(await laneOf(store, 'a')).toMatchObject({ state: 'live', cur_seq: 1 });
    expect(await firstNameSent()).toBe('New');
  });

  it('is an update once the first one is delivered or on its way', async () => {
    await till.recordOutcomes(enrolment('e', 'a', 'Old'));
    const lease = await begin(store, await claimOne(store));
    expect(await till.recordOutcomes(enrolment('f', 'a', 'New'))).toEqual(['recorded']);
    const event = { type: 'AttemptApplied', at: now, attempt: 1 } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [event] }) }));
    expect(await till.recordOutcomes(enrolment('g', 'a', 'Newer'))).toEqual(['recorded']);
    expect(await operations()).toEqual(['issue', 'update-via-workflow', 'update-via-workflow']);
  });

  it('is ignored then, where the program maps no update', async () => {
    await till.recordOutcomes(enrolment('e', 'a', 'Old'));
    await deliverOne(store);
    const event = enrolment('f', 'a', 'New');
    const unmapped = { ...event, verdict: { ...event.verdict, enrolmentAsUpdate: null } };
    expect(await till.recordOutcomes(unmapped, purchase('p', 'a'), unmapped)).toEqual([
      'not-mapped',
      'recorded',
      'duplicate-event',
    ]);
    expect(await operations()).toEqual(['issue', 'transaction']);
  });

  it('keeps its place among what is told with it', async () => {
    await till.recordOutcomes(enrolment('e', 'a', 'Old'));
    await deliverOne(store);
    await till.recordOutcomes(purchase('p1', 'a'), enrolment('f', 'a', 'New'), purchase('p2', 'a'));
    expect(await operations()).toEqual(['issue', 'transaction', 'update-via-workflow', 'transaction']);
    await historyOf(store, 'a');
  });

  it('refuses the begin of a holder that would send the old one', async () => {
    await till.recordOutcomes(enrolment('e', 'a', 'Old'));
    const lease = await claimOne(store);
    await till.recordOutcomes(enrolment('f', 'a', 'New'));
    expect(await record(store, stepOf(lease, { begin: beginOf(1) }))).toMatchObject({
      begun: false,
    });
    expect(await firstNameSent()).toBe('New');
  });
});
