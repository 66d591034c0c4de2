import type { EventPosition, IntentEvent, PartnerCommand, PassContent } from '#intents/core';

import { begin, claim, claimOne, completion, deliverOne, record, stepOf } from '../../testing/lease.js';
import type { Batches, TestEvent } from '../../testing/records.js';
import { IntentActionRepository } from '../operator/intent-action-repository.js';
import { enrolment, historyOf, laneOf, now, purchase, Till, update, waysToBatch } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(4);
});

afterEach(() => store.close());

const told = (...batches: Batches): Promise<string[]> => new Till(store).recordInBatches(...batches);

async function operations(): Promise<string[]> {
  const rows = await store.sql<{ operation: string }>('SELECT operation FROM intent ORDER BY lane_id, seq');
  return rows.map(({ operation }) => operation);
}

let ids = 0;

/** Another event each time; `minute` is when it happened. */
function enrolled(firstName: string, minute = 0): TestEvent {
  const event = enrolment(`e${(ids += 1)}`, 'a', firstName);
  return {
    ...event,
    verdict: { ...event.verdict, profilePosition: { sequence: null, timeMs: now + minute * 60_000 } },
  };
}

/** The first enrolment has been tried, and nobody knows what came of it. */
async function parkInDoubt(): Promise<void> {
  const lease = await begin(store, await claimOne(store));
  const unknown: IntentEvent = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null };
  const parked: IntentEvent = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'block' };
  await record(store, stepOf(lease, { completion: completion(lease, 'block', { events: [unknown, parked] }) }));
}

function leaving(): TestEvent {
  const event = update(`l${(ids += 1)}`, 'a');
  return { ...event, verdict: { ...event.verdict, memberEffects: { raisesGeneration: true, erase: false } } };
}

describe.each(waysToBatch)('an enrolment that is told again and again %s', (_name, split) => {
  const allTold = async (...events: TestEvent[]): Promise<string[]> => told(...split(events));

  it('corrects the first one back, too, before it is begun', async () => {
    expect(await allTold(enrolled('Ada'), enrolled('Bea'), enrolled('Bea'), enrolled('Ada'), enrolled('Ada'))).toEqual([
      ...['recorded', 'recorded', 'duplicate-business-key', 'recorded', 'duplicate-business-key'],
    ]);
    expect(await historyOf(store, 'a')).toEqual(['1 IntentRecorded', '1 IntentCorrected', '1 IntentCorrected']);
    const [lane] = await claim(store);
    expect(lane!.intents.get(1)?.command).toMatchObject({ content: { person: { firstName: 'Ada' } } });
  });

  it('is an update back, too, once the first one is delivered', async () => {
    await told([enrolled('Ada')]);
    await deliverOne(store);
    expect(await allTold(enrolled('Bea'), enrolled('Bea'), enrolled('Ada'), enrolled('Ada'), enrolled('Bea'))).toEqual([
      ...['recorded', 'duplicate-business-key', 'recorded', 'duplicate-business-key', 'recorded'],
    ]);
    expect(await operations()).toEqual(['issue', ...Array<string>(3).fill('update-via-workflow')]);
  });

  it('is compared afterwards with the last of them', async () => {
    await told([enrolled('Ada')]);
    await allTold(enrolled('Bea'), enrolled('Cid'), enrolled('Dora'));
    expect(await told([enrolled('Dora')], [enrolled('Bea')], [enrolled('Bea')])).toEqual([
      ...['duplicate-business-key', 'recorded', 'duplicate-business-key'],
    ]);
  });

  it('does not go back to what a till repeats from before', async () => {
    expect(await allTold(enrolled('Ada', 1), enrolled('Bea', 2), enrolled('Ada', 1), enrolled('Bea', 2))).toEqual([
      ...['recorded', 'recorded', 'stale', 'duplicate-business-key'],
    ]);
  });

  it('regression: is sent when it is mended after a refusal had parked it, and the lane goes on', async () => {
    await told([enrolled('Ada'), purchase('p1', 'a')]);
    const lease = await begin(store, await claimOne(store));
    const rejected = { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' } as const;
    const parked = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'block' } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'block', { events: [rejected, parked] }) }));
    expect(await claim(store)).toEqual([]);
    expect(await allTold(enrolled('Bea'), enrolled('Bea'))).toEqual(['recorded', 'duplicate-business-key']);
    expect(await historyOf(store, 'a')).toEqual([
      ...['1 IntentRecorded', '2 IntentRecorded', '1 AttemptBegun', '1 AttemptRejected', '1 IntentParked'],
      ...['1 IntentCorrected', '1 IntentReplayed'],
    ]);
    const [lane] = await claim(store);
    expect(lane!.cursor.current).toBe(1);
    expect(lane!.intents.get(1)?.command).toMatchObject({ content: { person: { firstName: 'Bea' } } });
  });

  it('is not sent where it was parked in doubt: a person says first what came of it', async () => {
    await told([enrolled('Ada')]);
    await parkInDoubt();
    await allTold(enrolled('Bea'));
    expect((await historyOf(store, 'a')).filter((line) => line.startsWith('1 '))).not.toContain('1 IntentReplayed');
  });

  const cancelled = async (isNotDelivered = false): Promise<unknown> => {
    const place = { laneId: (await laneOf(store, 'a')).lane_id, seq: 1 };
    const audit = { at: now, actor: 'ada', address: null, reason: 'a slip' };
    const action = { kind: 'cancel', isNotDelivered } as const;
    return new IntentActionRepository(store.database, store.keys.members).act({ place, action, audit });
  };

  it.each(['Ada', 'Bea'])('regression: is a new one (%s) after an operator has cancelled the first', async (name) => {
    const first = enrolled('Ada');
    await told([first]);
    expect(await cancelled()).toMatchObject({ kind: 'done' });
    expect(await allTold(first, enrolled(name), enrolled(name))).toEqual([
      ...['duplicate-event', 'recorded', 'duplicate-business-key'],
    ]);
    expect(await operations()).toEqual(['issue', 'issue']);
    const [lane] = await claim(store);
    expect(lane!.intents.get(2)?.command).toMatchObject({ content: { person: { firstName: name } } });
  });

  it('is none where the first one may have taken effect, unless an operator says that it has not', async () => {
    await told([enrolled('Ada')]);
    await parkInDoubt();
    expect(await cancelled()).toEqual({ kind: 'refused', reason: 'in-doubt' });
    expect(await allTold(enrolled('Ada'))).toEqual(['duplicate-business-key']);
    expect(await cancelled(true)).toMatchObject({ kind: 'done', event: { type: 'IntentCancelled' } });
    expect(await allTold({ ...enrolled('Ada'), id: 'again' })).toEqual(['recorded']);
    expect(await operations()).toEqual(['issue', 'issue']);
  });

  it('is compared with nothing that was not taken', async () => {
    const unmapped = enrolled('Bea', 5);
    await told([enrolled('Ada', 4)]);
    await deliverOne(store);
    const events = [{ ...unmapped, verdict: { ...unmapped.verdict, enrolmentAsUpdate: null } }, enrolled('Ada', 6)];
    expect(await allTold(...events)).toEqual(['not-mapped', 'duplicate-business-key']);
  });

  function saidBy(eventSource: string, event: TestEvent, content: PassContent, position: EventPosition): TestEvent {
    const intents = event.verdict.intents.map((intent) => {
      return { ...intent, command: { ...intent.command, content } as PartnerCommand };
    });
    return { ...event, verdict: { ...event.verdict, eventSource, intents, profilePosition: position } };
  }

  it('regression: keeps what the first one says where something newer was dropped for that', async () => {
    const tier = saidBy('/crm', update('gold', 'a'), { tierId: 2 }, { sequence: '6', timeMs: now });
    const [ada, bea] = [{ person: { firstName: 'Ada' } }, { person: { firstName: 'Bea', lastName: 'Zoe' } }];
    const shop = saidBy('/shop', enrolled('Bea'), { ...bea, tierId: 3 }, { sequence: null, timeMs: now + 1 });
    // By its number older than the tier, by its time newer than the shop's enrolment.
    const late = saidBy('/crm', enrolled('Ada'), { ...ada, tierId: 1 }, { sequence: '1', timeMs: now + 2 });
    expect(await allTold(tier, shop, late)).toEqual(['recorded', 'recorded', 'recorded']);
    expect((await historyOf(store, 'a')).filter((line) => line.startsWith('1 '))).toContain('1 IntentCancelled');
    const [lane] = await claim(store);
    expect(lane!.intents.get(2)?.command).toHaveProperty('content', { ...ada, tierId: 3 });
  });

  it('is compared with nothing from before the member left', async () => {
    const events = [enrolled('Ada'), enrolled('Bea'), leaving(), enrolled('Ada'), enrolled('Ada'), enrolled('Bea')];
    expect(await allTold(...events)).toEqual([
      ...['recorded', 'recorded', 'recorded', 'recorded', 'duplicate-business-key', 'recorded'],
    ]);
  });
});
