import type { EventPlanner, PartnerCommand, RecordedPlan, TransactionCommand, UnmappedIntent } from '#intents/core';
import { plannedAnewBy } from '#intents/core';

import { beginRecovery } from '../recovery/recovery.js';
import { claim, claimOne, completion, record, stepOf } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import { historyOf, laneOf, now, Till, transactionIntent, purchase } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import type { ActionResult, IntentAction } from './intent-action-repository.js';
import { IntentActionRepository } from './intent-action-repository.js';
import { loadPlanned } from './load-planned.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

const later = now + 3_600_000;
const audit = { at: now + 5, actor: 'ada', address: null, reason: 'the file maps it now' };

/** A purchase of `a` of which no file made a call. */
function unmapped(reason: 'unroutable' | 'conflict' | 'merged' = 'unroutable'): TestEvent {
  const event = purchase('p1', 'a');
  const born = { ...transactionIntent('a', 'p1'), command: null, parked: { reason, detail: 'no call' } };
  return { ...event, verdict: { ...event.verdict, intents: [born] } };
}

const callOf = ({ memberId, amount }: Pick<UnmappedIntent, 'memberId' | 'amount'>, type: string): TransactionCommand =>
  ({
    ...transactionIntent(memberId, 'p1').command,
    amount: `-${amount}`,
    transactionTypeId: type,
  }) as TransactionCommand;

/** Maps it to a type; null: to no call. */
function fileOf(type: string | null, seen: (RecordedPlan | UnmappedIntent)[] = []): EventPlanner {
  return {
    programsHash: `file ${type}`,
    plan: (recorded) => {
      seen.push(recorded);
      return { ...recorded.command, transactionTypeId: type ?? 'none' } as PartnerCommand;
    },
    sendsKept: () => false,
    planUnmapped: (intent) => {
      seen.push(intent);
      return type === null ? null : callOf(intent, type);
    },
  };
}

const place = async () => ({ laneId: (await laneOf(store, 'a')).lane_id, seq: 1 });

async function act(action: IntentAction, planner?: EventPlanner): Promise<ActionResult> {
  const actions = new IntentActionRepository(store.database, store.newMemberKeys());
  return actions.act({ place: await place(), action, audit, ...(planner && { planner }) });
}

const replay = (planner?: EventPlanner): Promise<ActionResult> => act({ kind: 'replay' }, planner);

/** The lane goes over what was parked as it was recorded. */
async function passOver(): Promise<void> {
  const lease = await claimOne(store);
  await record(store, stepOf(lease, { completion: completion(lease, 'settle') }));
}

/** What would be sent for it now. */
async function claimed(planner: EventPlanner): Promise<PartnerCommand | null | undefined> {
  await store.sql('UPDATE lane SET owner = NULL, due_at = $1::timestamptz', new Date(now).toISOString());
  const [lane] = await claim(store, { planner, now: later });
  return lane?.intents.get(1)?.command;
}

const nothing = { kind: 'refused', reason: 'nothing-to-send' };

describe('what no file mapped when it was recorded', () => {
  it('regression: is planned by the file of now when it is replayed, and refused where that maps nothing', async () => {
    await till.record(unmapped());
    await passOver();
    expect([await replay(), await replay(fileOf(null))]).toEqual([nothing, nothing]);
    const seen: (RecordedPlan | UnmappedIntent)[] = [];
    expect(await replay(fileOf('33', seen))).toMatchObject({ kind: 'done', event: { type: 'IntentReplayed' } });
    expect(seen).toMatchObject([{ operation: 'transaction', memberId: 'a', amount: '59.99', marks: null }]);
    const own = ['IntentRecorded', 'IntentParked', 'IntentCorrected', 'IntentReplayed'].map((type) => `1 ${type}`);
    expect(await historyOf(store, 'a')).toEqual(own);
    const [event] = await store.sql(`SELECT data FROM intent_event WHERE type = 'IntentCorrected'`);
    expect(event).toMatchObject({ data: plannedAnewBy });
    expect(await claimed(fileOf('33'))).toMatchObject({ transactionTypeId: '33', amount: '-59.99', uniqueId: 'a' });
  });

  it('is planned once more by a file that comes before it is sent, with its member and amount', async () => {
    await till.record(unmapped());
    await passOver();
    await replay(fileOf('33'));
    const seen: (RecordedPlan | UnmappedIntent)[] = [];
    expect(await claimed(fileOf('34', seen))).toMatchObject({ transactionTypeId: '34', amount: '-59.99' });
    expect(seen).toMatchObject([{ command: { transactionTypeId: '33', amount: '-59.99', uniqueId: 'a' } }]);
  });

  it('says what a person gave it, where one has', async () => {
    await till.record(unmapped());
    await passOver();
    const command = callOf({ memberId: 'a', amount: '1.00' }, '99');
    const revise = () => ({ command, changed: ['amount'], privileged: [] });
    await new IntentActionRepository(store.database, store.newMemberKeys()).correct({
      ...{ place: await place(), revise, audit },
    });
    expect(await replay(fileOf('33'))).toMatchObject({ kind: 'done' });
    expect(await claimed(fileOf('33'))).toEqual(command);
  });

  it('is shown before it is replayed', async () => {
    await till.record(unmapped());
    const load = async (planner: EventPlanner) =>
      loadPlanned(store.database, [await place()], { planner, keys: store.newMemberKeys() });
    expect(await load(fileOf(null))).toEqual([]);
    expect(await load(fileOf('33'))).toMatchObject([{ seq: 1, current: null, next: { transactionTypeId: '33' } }]);
  });

  it('is sent where somebody says that it was not delivered', async () => {
    await till.record(unmapped());
    await passOver();
    const back = { kind: 'resolve', as: 'not-delivered' } as const;
    expect(await act(back, fileOf(null))).toEqual(nothing);
    expect(await act(back, fileOf('33'))).toMatchObject({ kind: 'done' });
    expect(await claimed(fileOf('33'))).toMatchObject({ transactionTypeId: '33' });
  });

  it.each([{ kind: 'resolve', as: 'delivered' }, { kind: 'cancel' }] as const)(
    'needs no call for $kind',
    async (word) => {
      await till.record(unmapped());
      expect(await act(word, fileOf('33'))).toMatchObject({ kind: 'done' });
      expect((await historyOf(store, 'a')).some((line) => line.endsWith('IntentCorrected'))).toBe(false);
    },
  );

  it('is planned at once where it was parked for another reason', async () => {
    await till.record(unmapped('conflict'));
    await passOver();
    expect(await replay(fileOf('33'))).toMatchObject({ kind: 'done' });
    expect(await claimed(fileOf('33'))).toMatchObject({ transactionTypeId: '33' });
  });

  it('stays for a person where it is of a merge', async () => {
    await till.record(unmapped('merged'));
    await passOver();
    expect(await replay(fileOf('33'))).toEqual(nothing);
  });

  it('is in doubt where a lost history may have sent a value that the partner takes once, until somebody knows', async () => {
    await till.record(unmapped());
    await passOver();
    await beginRecovery(store.database, { recoveredFrom: now + 60_000, lostUntil: null, now: now + 120_000 });
    const unique = (intent: UnmappedIntent): PartnerCommand => ({
      ...callOf(intent, '33'),
      uniqueAttribute: { name: 'receipt', value: 'p1', enforced: true },
    });
    const planner = { ...fileOf('33'), planUnmapped: unique };
    expect(await replay(planner)).toEqual({ kind: 'refused', reason: 'in-doubt' });
    expect(await act({ kind: 'resolve', as: 'not-delivered' }, planner)).toMatchObject({ kind: 'done' });
  });
});
