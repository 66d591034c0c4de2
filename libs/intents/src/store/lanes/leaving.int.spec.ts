import type { IntentEvent } from '#intents/core';

import { begin, claim, claimOne, completion, deliverOne, record, stepOf } from '../../testing/lease.js';
import { enrolment, laneOf, leaving, now, purchase, Till, update } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';

let store: TestStore;
let till: Till;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
});

afterEach(() => store.close());

/** Of the lane's intents, as a claim brings them. */
async function neverEnrolled(): Promise<readonly (boolean | undefined)[]> {
  const [lane] = await claim(store, { now: now + 3_600_000 });
  return [...(lane?.intents.values() ?? [])].map((intent) => intent.neverEnrolled);
}

async function park(events: readonly IntentEvent[]): Promise<void> {
  const lease = await begin(store, await claimOne(store));
  const end = { type: 'IntentParked', at: now, reason: 'unknown-outcome', lane: 'continue' } as const;
  const settled = completion(lease, 'settle', { events: [...events, end] });
  await record(store, stepOf(lease, { completion: settled }));
}

describe('a word that the member has left', () => {
  it('has nothing before it that may have made a pass, where that was never heard of or cancelled', async () => {
    await till.record(purchase('p', 'a'), leaving('l'), enrolment('e', 'a'), leaving('m'), purchase('q', 'a'));
    expect(await neverEnrolled()).toEqual([undefined, true, undefined, true, undefined]);
  });

  it('has, where an enrolment was delivered', async () => {
    await till.record(enrolment('e', 'a'));
    await deliverOne(store);
    await till.record(leaving('l'));
    expect(await neverEnrolled()).toEqual([undefined]);
  });

  it('says so, and is an opt-out; an update of who never enrolled is none', async () => {
    await till.record(update('u', 'a'));
    const [queued] = await claim(store, { now: now + 3_600_000 });
    expect([...(queued?.intents.values() ?? [])]).toMatchObject([{ neverEnrolled: true }]);
    expect([...(queued?.intents.values() ?? [])][0]).not.toHaveProperty('optsOut');
    await till.record(leaving('l'), update('v', 'a'));
    const [lane] = await claim(store, { now: now + 7_200_000 });
    const intents = [...(lane?.intents.values() ?? [])];
    expect(intents.map(({ optsOut }) => optsOut)).toEqual([undefined, true, undefined]);
  });

  it('has, where an enrolment is in doubt', async () => {
    await till.record(enrolment('e', 'a'));
    await park([{ type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null }]);
    await till.record(leaving('l'));
    expect((await laneOf(store, 'a')).pass).toBe('unknown');
    expect(await neverEnrolled()).toEqual([undefined]);
  });
});

/** Of the lane's intents, as a claim brings them. */
async function followEnrolments(): Promise<readonly (boolean | undefined)[]> {
  const [lane] = await claim(store, { now: now + 3_600_000 });
  return [...(lane?.intents.values() ?? [])].map((intent) => intent.followsEnrolment);
}

describe('an enrolment of a member who comes back', () => {
  it('follows one that may have made a pass, as nothing else does', async () => {
    await till.record(enrolment('e', 'a'), purchase('p', 'a'));
    expect(await followEnrolments()).toEqual([undefined, undefined]);
    await till.record(leaving('l'), enrolment('f', 'a'), purchase('q', 'a'));
    const lane = await laneOf(store, 'a');
    await store.sql(
      'UPDATE lane SET owner = NULL, due_at = $1 WHERE lane_id = $2',
      new Date(now).toISOString(),
      lane.lane_id,
    );
    expect(await followEnrolments()).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it.each([
    ['was delivered', (): Promise<unknown> => deliverOne(store)],
    [
      'is in doubt',
      () => park([{ type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null } as const]),
    ],
  ])('follows one that %s', async (_how, end) => {
    await till.record(enrolment('e', 'a'));
    await end();
    await till.record(leaving('l'), enrolment('f', 'a'));
    expect(await followEnrolments()).toEqual([undefined, true]);
  });
});
