import type { IntentEvent, PassContent, Renewal } from '#intents/core';

import { recordLateOutcomes } from '../lanes/record-late-outcomes.js';
import { beginRecovery } from '../recovery/recovery.js';
import type { Lease } from '../../testing/lease.js';
import { begin, claim, claimOne, completion, deliverOne, record, stepOf } from '../../testing/lease.js';
import type { TestEvent } from '../../testing/records.js';
import { enrolment, historyOf, laneOf, now, purchase, Till, update, updateIntent } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(2);
  till = new Till(store);
});

afterEach(() => store.close());

function at(minute: number, event: TestEvent): TestEvent {
  const profilePosition = { sequence: null, timeMs: now + minute * 60_000 };
  return { ...event, verdict: { ...event.verdict, profilePosition } };
}

/** Says its person, tier and message. */
function enrolled(id = 'e'): TestEvent {
  const event = enrolment(id, 'a');
  const [intent] = event.verdict.intents;
  if (intent?.command?.operation !== 'issue') throw new Error('an enrolment issues');
  const command = { ...intent.command, content };
  return at(1, { ...event, verdict: { ...event.verdict, intents: [{ ...intent, command }] } });
}

const content: PassContent = { person: { firstName: 'Ada' }, tierId: 2, message: 'hello' };
const asUpdate = { command: updateIntent('a', content).command } as Renewal;
const unmapped: Renewal = { command: null };

/** The partner refuses the current enrolment, because there is a pass. */
async function refuse(): Promise<Lease> {
  const lease = await begin(store, await claimOne(store));
  const unknown = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'duplicate-refused', checkAt: now } as const;
  await record(store, stepOf(lease, { completion: completion(lease, 'doubt', { events: [unknown], dueAt: now }) }));
  return claimOne(store);
}

const proof = { type: 'VerifiedApplied', at: now, attempt: 1, evidence: 'pass-found' } as const;

const found = (lease: Lease, renewal: Renewal) =>
  stepOf(lease, { completion: { ...completion(lease, 'settle', { events: [proof], pass: 'known' }), renewal } });

async function find(renewal: Renewal = asUpdate): Promise<void> {
  const lease = await refuse();
  expect(await record(store, found(lease, renewal))).toMatchObject({ completed: true });
}

describe('what an enrolment says of the pass that it has found', () => {
  it('is an intent of its own, ahead of what waits', async () => {
    await till.record(enrolled(), purchase('p', 'a'));
    await find();
    expect(await laneOf(store, 'a')).toMatchObject({ cur_seq: 3, head_seq: 2, tail_seq: 3, redo: [3], pass: 'known' });
    const [lane] = await claim(store);
    expect(lane!.intents.get(3)).toMatchObject({ operation: 'update-via-workflow', command: { content } });
    const [row] = await store.sql('SELECT event_type, store_id, kafka_offset::int AS at FROM intent WHERE seq = 3');
    expect(row).toEqual({ event_type: 'loyalty.member.enrolled.v1', store_id: null, at: 0 });
    const counts = await store.sql('SELECT operation, recorded::int FROM intent_tally ORDER BY 1');
    expect(counts).toEqual(
      ['issue', 'transaction', 'update-via-workflow'].map((operation) => ({ operation, recorded: 1 })),
    );
  });

  it('regression: is told at once that it is due, and no lost history can have sent it', async () => {
    await till.record(enrolled());
    await beginRecovery(store.database, { recoveredFrom: now - 2, lostUntil: null, now: now - 1 });
    const lease = await refuse();
    expect(await record(store, found(lease, asUpdate))).toMatchObject({ completed: true, dueAt: 0 });
    const [lane] = await claim(store);
    expect(lane!.intents.get(2)).toMatchObject({ operation: 'update-via-workflow' });
    expect(lane!.intents.get(2)).not.toHaveProperty('forgottenBefore');
  });

  it('is sent, and then what waited', async () => {
    await till.record(enrolled(), purchase('p', 'a'));
    await find();
    await deliverOne(store);
    expect(await claimOne(store)).toMatchObject({ seq: 2 });
    await historyOf(store, 'a');
  });

  it('is recorded once, although the answer to the commit was lost', async () => {
    await till.record(enrolled());
    const step = found(await refuse(), asUpdate);
    await record(store, step);
    const before = await historyOf(store, 'a');
    expect(await record(store, step, true)).toMatchObject({ completed: true });
    expect(await historyOf(store, 'a')).toEqual(before);
    expect(before.at(-1)).toBe('2 IntentRecorded');
  });

  it('is not recorded by a worker that has lost its lane', async () => {
    await till.record(enrolled());
    const lease = await refuse();
    await store.sql('UPDATE lane SET epoch = epoch + 1');
    expect(await record(store, found(lease, asUpdate))).toMatchObject({ completed: false });
    expect(await laneOf(store, 'a')).toMatchObject({ tail_seq: 1 });
  });

  it.each([
    [0, { tierId: 2, message: 'hello' }],
    [2, { message: 'hello' }],
  ])('says nothing that is older than an update: updated in minute %d, enrolled in minute 1', async (minute, said) => {
    await till.record(at(minute, update('u', 'a', 1)));
    await till.record(enrolled());
    // Whether the partner knew the member is not known: the update was not taken.
    const lease = await begin(store, await claimOne(store));
    const parked = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' } as const;
    const refused = { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' } as const;
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [refused, parked] }) }));
    await find();
    const [lane] = await claim(store);
    expect(lane!.intents.get(3)?.command).toMatchObject({ content: said });
    expect(Object.keys((lane!.intents.get(3)?.command as { content: PassContent }).content)).toEqual(
      expect.arrayContaining(Object.keys(said)),
    );
  });

  it('parks where the program says of no way to update, and the lane goes on', async () => {
    await till.record(enrolled(), purchase('p', 'a'));
    await find(unmapped);
    expect((await historyOf(store, 'a')).slice(-2)).toEqual(['3 IntentRecorded', '3 IntentParked']);
    const lease = await claimOne(store);
    expect(lease).toMatchObject({ seq: 3 });
    await record(store, stepOf(lease, { completion: completion(lease, 'settle') }));
    expect(await claimOne(store)).toMatchObject({ seq: 2 });
  });

  it.each([
    ['settles what was in doubt', 'applied', 2],
    ['leaves it open', 'unknown', 1],
  ] as const)(
    'follows an answer that comes after the lane was taken over, where it %s',
    async (_what, outcome, tail) => {
      await till.record(enrolled());
      const lease = await begin(store, await claimOne(store));
      const doubt = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'worker-lost', checkAt: now } as const;
      const heir = await claimOne(store, { now: now + 3_600_000 });
      await record(store, stepOf(heir, { completion: completion(heir, 'doubt', { events: [doubt], dueAt: now }) }));
      const event = { type: 'LateOutcome', at: now, attempt: 1, outcome, code: outcome } as const;
      const { laneId, epoch, key } = lease;
      const late = { event, laneId, seq: 1, epoch, key, evidence: null, renewal: asUpdate };
      await recordLateOutcomes(store.database, [late], store.keys);
      await recordLateOutcomes(store.database, [late], store.keys);
      expect(await laneOf(store, 'a')).toMatchObject({ tail_seq: tail, redo: tail === 2 ? [2] : [] });
      await historyOf(store, 'a');
    },
  );

  it('regression: waits for what is under way where a late yes brings it, and takes nothing from that', async () => {
    await till.record(enrolled(), purchase('p', 'a'));
    const lease = await begin(store, await claimOne(store));
    const events: IntentEvent[] = [
      { type: 'AttemptUnknown', at: now, attempt: 1, code: 'worker-lost', checkAt: null },
      { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' },
    ];
    const heir = await claimOne(store, { now: now + 3_600_000 });
    await record(store, stepOf(heir, { completion: completion(heir, 'settle', { events }) }));
    const sale = await begin(store, await claimOne(store, { now: now + 3_600_000 }));
    const event = { type: 'LateOutcome', at: now, attempt: 1, outcome: 'applied', code: 'applied' } as const;
    const { laneId, epoch, key } = lease;
    await recordLateOutcomes(
      store.database,
      [{ event, laneId, seq: 1, epoch, key, evidence: null, renewal: asUpdate }],
      store.keys,
    );
    expect(await laneOf(store, 'a')).toMatchObject({ cur_seq: 2, attempt: 1, attempt_open: true, redo: [3] });
    const applied = { type: 'AttemptApplied', at: now, attempt: 1 } as const;
    const done = stepOf(sale, { completion: completion(sale, 'settle', { events: [applied] }), carriesAnswer: true });
    expect(await record(store, done)).toMatchObject({ completed: true });
    expect(await claimOne(store, { now: now + 3_600_000 })).toMatchObject({ seq: 3 });
    await historyOf(store, 'a');
  });

  it('is said once only', async () => {
    await till.record(enrolled());
    await find();
    await deliverOne(store);
    const place = { laneId: (await laneOf(store, 'a')).lane_id, seq: 1 };
    await store.sql('UPDATE lane SET cur_seq = 1, redo = ARRAY[1], due_at = to_timestamp($1 / 1000.0)', now);
    const lease = await claimOne(store);
    expect(await record(store, found(lease, asUpdate))).toMatchObject({ completed: true, laneId: place.laneId });
    expect(await laneOf(store, 'a')).toMatchObject({ tail_seq: 2, redo: [] });
  });

  it('is not said of whoever was erased meanwhile', async () => {
    await till.record(enrolled());
    const lease = await refuse();
    await store.sql('UPDATE member SET erased_seq = 1');
    expect(await record(store, found(lease, asUpdate))).toMatchObject({ completed: true });
    expect(await laneOf(store, 'a')).toMatchObject({ tail_seq: 1 });
  });
});
