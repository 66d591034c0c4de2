import type { PartnerCommand } from '#intents/core';

import { IntentActionRepository } from '../operator/intent-action-repository.js';
import { QuarantineSettlements } from '../quarantine/quarantine-settlements.js';
import { applied, begin, claim, claimOne, completion, deliverOne, record, stepOf } from '../../testing/lease.js';
import type { TestEvent, TimedEvent } from '../../testing/records.js';
import {
  cancelling,
  enrolment,
  historyOf,
  laneOf,
  leaving,
  now,
  prepared,
  purchase,
  purchaseKey,
  routingBy,
  setAside,
  Till,
  transactionIntent,
  update,
  updateIntent,
  waysToBatch,
} from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore, withBefore } from '../../testing/test-store.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(8);
  till = new Till(store);
});

afterEach(() => store.close());

const hourMs = 3_600_000;
/** So many hours before the specs' present. */
const ago = (hours: number): number => now - hours * hourMs;

async function tell(...events: readonly TimedEvent[]): Promise<void> {
  await till.tell(...events);
}

/** Purchases and what became of them. */
async function standing(): Promise<Record<string, string>> {
  const rows = await store.sql<{ id: string; status: string | null; reason: string | null }>(
    `SELECT i.purchase_id AS id, s.status, s.reason FROM intent i LEFT JOIN intent_standing s USING (lane_id, seq)
     WHERE i.purchase_id IS NOT NULL ORDER BY i.lane_id, i.seq`,
  );
  return Object.fromEntries(
    rows.map(({ id, status, reason }) => [id, status === null ? 'open' : `${status} ${reason}`]),
  );
}

describe('a sale of somebody who has left', () => {
  it('is not sent where it was made after that, in one batch or later; one from before is', async () => {
    await tell([enrolment('e', 'a'), ago(9)], [leaving('l'), ago(5)], [purchase('p1', 'a'), ago(4)]);
    await tell([purchase('p2', 'a'), ago(3)], [purchase('p3', 'a'), ago(6)], [purchase('q', 'b'), ago(3)]);
    expect(await standing()).toEqual({
      ...{ p1: 'parked not-a-member', p2: 'parked not-a-member' },
      ...{ p3: 'open', q: 'open' },
    });
  });

  it('counts with its amount among what needs a person', async () => {
    await tell([leaving('l'), ago(5)], [purchase('p1', 'a'), ago(4)]);
    const rows = await store.sql('SELECT amount::text, currency FROM intent_standing WHERE status = $1', 'parked');
    expect(rows).toEqual([{ amount: '59.99', currency: 'EUR' }]);
  });

  it('is sent where the member had come back by then, in whatever order that is read', async () => {
    await tell([enrolment('e', 'a'), ago(9)], [leaving('l'), ago(7)], [enrolment('e2', 'a', 'Anew'), ago(4)]);
    await tell([purchase('p1', 'a'), ago(3)], [purchase('p2', 'a'), ago(5)]);
    expect(await standing()).toEqual({ p1: 'open', p2: 'parked not-a-member' });
    await tell([enrolment('f', 'b'), ago(4)], [leaving('m', 'b'), ago(7)], [purchase('p3', 'b'), ago(3)]);
    expect(await standing()).toMatchObject({ p3: 'open' });
  });

  it('is known by its number: a void takes it back, told again it is the same', async () => {
    await tell([leaving('l'), ago(5)], [purchase('p1', 'a'), ago(4)], [purchase('again', 'a', 'p1'), ago(4)]);
    await tell([cancelling('v', 'a', purchaseKey('p1')), ago(3)]);
    expect(await standing()).toEqual({ p1: 'cancelled voided' });
  });

  it('is decided on anew where they leave after it was looked up whose it is', async () => {
    await tell([enrolment('e', 'a'), ago(9)]);
    const other = new Till(withBefore(store, 'extend_lanes', () => tell([leaving('l'), ago(5)])));
    expect(await other.recordOutcomes(purchase('p1', 'a'))).toEqual(['recorded']);
    expect(await standing()).toEqual({ p1: 'parked not-a-member' });
  });
});

describe('a leaving', () => {
  it('leaves what its member bought before it to be sent, and cancels the rest of the queue', async () => {
    await tell([update('u', 'a'), ago(8)], [purchase('p1', 'a'), ago(7)], [purchase('p2', 'a'), ago(4)]);
    await tell([leaving('l'), ago(5)]);
    expect(await standing()).toEqual({ p1: 'open', p2: 'cancelled opted-out' });
    expect((await historyOf(store, 'a')).filter((line) => line.endsWith('Cancelled'))).toHaveLength(2);
  });

  it('leaves nothing queued of who is erased with it', async () => {
    await tell([purchase('p1', 'a'), ago(7)]);
    await tell([leaving('l', 'a', true), ago(5)]);
    expect(await standing()).toEqual({ p1: 'cancelled opted-out' });
  });
});

describe('what takes back after a leaving', () => {
  it('is not sent: a counter-entry that comes too late to cancel', async () => {
    await tell([purchase('p1', 'a'), ago(9)]);
    await deliverOne(store);
    await tell([leaving('l'), ago(5)]);
    const voided = cancelling('v', 'a', purchaseKey('p1'));
    const ifTooLate = transactionIntent('a', 'p1-void', { businessKey: null, waitsFor: purchaseKey('p1') });
    const cancels = voided.verdict.cancels.map((cancel) => ({ ...cancel, ifTooLate }));
    await tell([{ ...voided, verdict: { ...voided.verdict, cancels } }, ago(4)]);
    expect(await standing()).toEqual({ p1: 'open', 'p1-void': 'parked not-a-member' });
  });
});

describe('a sale that is brought again after its member has left', () => {
  const audit = { at: now, actor: 'ada', address: null, reason: 'mended' };

  async function replay(memberId = 'a', seq = 1): Promise<object> {
    const { lane_id: laneId } = await laneOf(store, memberId);
    const request = { place: { laneId, seq }, action: { kind: 'replay' }, audit } as const;
    return new IntentActionRepository(store.database, store.keys.members).act(request);
  }

  it('is not put back by an operator, until the member has come back', async () => {
    await tell([leaving('l'), ago(5)], [purchase('p1', 'a'), ago(4)]);
    expect(await replay('a', 2)).toEqual({ kind: 'refused', reason: 'not-a-member' });
    expect((await historyOf(store, 'a')).filter((line) => line.endsWith('IntentReplayed'))).toEqual([]);
    await tell([enrolment('e', 'a'), ago(2)]);
    expect(await replay('a', 2)).toMatchObject({ kind: 'done' });
  });

  it('is recorded and parked where it comes from quarantine, whenever it was made', async () => {
    const [quarantineId] = await setAside(store, till, ['late']);
    await tell([leaving('l'), ago(1)]);
    const request = { quarantineId: quarantineId!, correction: null, audit, permit: () => [] };
    const route = routingBy({ late: purchase('late', 'a') });
    const settlements = new QuarantineSettlements(store.database, store.keys);
    const { original } = prepared(purchase('late', 'a'), 0);
    expect(original.brokerAt).toBeGreaterThan(ago(1));
    expect(await settlements.resubmit(request, route)).toEqual({ kind: 'done', result: 'recorded' });
    expect(await standing()).toEqual({ late: 'parked not-a-member' });
  });
});

describe.each(waysToBatch)(
  'regression: who comes back after an enrolment from before they left was read late: %s',
  (_name, split) => {
    async function tellAll(...events: readonly TimedEvent[]): Promise<string[]> {
      const outcomes: string[] = [];
      const times = new Map(events);
      for (const batch of split(events.map(([event]) => event))) {
        outcomes.push(...(await till.tell(...batch.map((event): TimedEvent => [event, times.get(event)!]))));
      }
      return outcomes;
    }

    const passOf = (event: TestEvent): TestEvent => {
      const intents = event.verdict.intents.map((intent) => {
        const content = { person: { firstName: intent.businessContent }, passdata: { optOut: false } };
        return { ...intent, command: { ...intent.command, content } as PartnerCommand };
      });
      return { ...event, verdict: { ...event.verdict, intents } };
    };
    const enrolled = (id: string, name: string, hours: number): TimedEvent => [
      passOf(enrolment(id, 'a', name)),
      ago(hours),
    ];
    /** It withdraws the consent to the card. */
    const left = (): TimedEvent => {
      const event = leaving('l');
      const intents = [updateIntent('a', { passdata: { optOut: true } })];
      return [{ ...event, verdict: { ...event.verdict, intents } }, ago(5)];
    };
    const late = enrolled('late', 'Ada', 9);

    /** What enrolments stand in the queue, and whether they give consent. */
    async function enrolmentsQueued(): Promise<[seq: number, person: unknown, isOptedOut: boolean][]> {
      const [lane] = await claim(store);
      return [...lane!.intents].flatMap(([seq, { command, state }]) =>
        command?.operation === 'issue' && state.status === 'pending'
          ? [[seq, command.content.person?.['firstName'], command.content.passdata?.['optOut'] === true]]
          : [],
      );
    }

    it.each(['Ada', 'Bea'])('begins anew (%s), and a repetition of that is one', async (name) => {
      const back: TimedEvent = [enrolment('back', 'a', name), ago(2)];
      const again: TimedEvent = [enrolment('again', 'a', name), ago(2)];
      expect(await tellAll([leaving('l'), ago(5)], late, back, again)).toEqual([
        ...['recorded', 'recorded', 'recorded', 'duplicate-business-key'],
      ]);
      expect(await enrolmentsQueued()).toEqual([[3, name, false]]);
    });

    it('sends nothing of the late one that nothing has come of, as if it had been read in time', async () => {
      await tellAll(left(), late, enrolled('back', 'Ada', 2));
      const ofLate = (await historyOf(store, 'a')).filter((line) => line.startsWith('2 '));
      expect(ofLate).toEqual(['2 IntentRecorded', '2 IntentCancelled']);
    });

    it('does not begin anew by another one from before that', async () => {
      const events: readonly TimedEvent[] = [[leaving('l'), ago(5)], late, [enrolment('other', 'a', 'Ada'), ago(8)]];
      expect(await tellAll(...events)).toEqual(['recorded', 'recorded', 'duplicate-business-key']);
      expect(await enrolmentsQueued()).toEqual([[2, 'Ada', true]]);
    });
  },
);

describe('regression: who comes back after a late enrolment has led to a card', () => {
  it('enrols anew, and what was kept is sent where the program says so', async () => {
    await tell([leaving('l'), ago(5)]);
    await deliverOne(store);
    await tell([enrolment('late', 'a', 'Ada'), ago(9)]);
    await deliverOne(store);
    await tell([purchase('p', 'a'), ago(4)]);
    const parked = await claimOne(store);
    await record(store, stepOf(parked, { completion: completion(parked, 'settle') }));
    expect(await till.tell([enrolment('back', 'a', 'Ada'), ago(2)])).toEqual(['recorded']);
    expect(await standing()).toEqual({ p: 'parked not-a-member' });
    const lease = await begin(store, await claimOne(store));
    await record(store, stepOf(lease, { completion: { ...applied(lease), gotPass: { sendsKept: true } } }));
    expect(await standing()).toEqual({ p: 'open' });
  });
});
