import type { Database } from '#platform';

import {
  applied,
  begin,
  beginOf,
  claim,
  claimOne,
  completion,
  leaseOf,
  openLanes,
  record,
  stepOf,
  waitForPass,
  whileLocked,
} from '../../testing/lease.js';
import { historyOf, laneOf, now } from '../../testing/records.js';
import type { LaneStep, StepResult } from './record-steps.js';
import { recordSteps } from './record-steps.js';

const { store, till } = await openLanes();

/** The first call commits, its answer is lost; the second repeats it. */
async function twice(member: string, step: LaneStep): Promise<{ first: StepResult; second: StepResult }> {
  const first = await record(store, step);
  const before = { lane: await laneOf(store, member), history: await historyOf(store, member) };
  const second = await record(store, step, true);
  expect({ lane: await laneOf(store, member), history: await historyOf(store, member) }).toEqual(before);
  // What has become of the lane since is not looked for the second time.
  return { first: { ...first, dueAt: 0 }, second };
}

describe('a group commit that is repeated because its answer was lost', () => {
  it('is granted and appends nothing twice: begin', async () => {
    const member = await till.withPurchases(2);
    const { first, second } = await twice(member, stepOf(await claimOne(store), { begin: beginOf(1) }));
    expect(second).toEqual(first);
    expect(second).toMatchObject({ completed: false, begun: true });
  });

  it('is granted and appends nothing twice: completion', async () => {
    const member = await till.withPurchases(2);
    const lease = await begin(store, await claimOne(store));
    const { first, second } = await twice(member, stepOf(lease, { completion: applied(lease) }));
    expect(second).toEqual(first);
    expect(second).toMatchObject({ completed: true, begun: false });
  });

  it('is granted and appends nothing twice: both in one', async () => {
    const member = await till.withPurchases(2);
    const lease = await begin(store, await claimOne(store));
    const { first, second } = await twice(member, stepOf(lease, { completion: applied(lease), begin: beginOf(2) }));
    expect(second).toEqual(first);
    expect(second).toMatchObject({ completed: true, begun: true });
  });

  it('says again that only the completion was granted', async () => {
    const member = await till.withPurchases(2);
    const lease = { ...(await begin(store, await claimOne(store))), revision: 99 };
    const { first, second } = await twice(member, stepOf(lease, { completion: applied(lease), begin: beginOf(2) }));
    expect(second).toEqual(first);
    expect(second).toMatchObject({ completed: true, begun: false });
  });

  it('knows a completion without events by the begin merged with it', async () => {
    const member = await till.withPurchases(2);
    const lease = await claimOne(store);
    const step = stepOf(lease, { completion: completion(lease, 'settle'), begin: beginOf(2) });
    const { first, second } = await twice(member, step);
    expect(second).toEqual(first);
    expect(second).toMatchObject({ completed: true, begun: true });
  });

  it('changes nothing by repeating a waiting without events, which leaves no trace to be found', async () => {
    const member = await till.withPurchases(2);
    const first = await claimOne(store);
    await record(store, stepOf(first, { completion: waitForPass(first) }));
    const lease = await claimOne(store, { now: now + 1_000 });
    const step = stepOf(lease, { completion: completion(lease, 'wait', { dueAt: now + 3_000 }) });
    const { first: granted, second } = await twice(member, step);
    expect(granted).toMatchObject({ completed: true });
    expect(second).toMatchObject({ completed: false });
  });

  it('is still granted after somebody else has taken the lane over', async () => {
    const member = await till.withPurchases(2);
    const lease = await begin(store, await claimOne(store));
    const step = stepOf(lease, { completion: applied(lease) });
    await record(store, step);
    await begin(store, await claimOne(store));
    expect(await record(store, step, true)).toMatchObject({ completed: true });
    expect((await historyOf(store, member)).filter((line) => line === '1 AttemptApplied')).toHaveLength(1);
  });

  it('stays fenced when it was fenced', async () => {
    await till.withPurchases(2);
    const lease = await claimOne(store);
    await claimOne(store, { now: now + 3_600_000 });
    const step = stepOf(lease, { begin: beginOf(1) });
    expect(await record(store, step)).toMatchObject({ completed: false, begun: false });
    expect(await record(store, step, true)).toMatchObject({ completed: false, begun: false });
  });

  it('does what the first call did not: that one never arrived', async () => {
    const member = await till.withPurchases(2);
    expect(await record(store, stepOf(await claimOne(store), { begin: beginOf(1) }), true)).toMatchObject({
      begun: true,
    });
    expect((await historyOf(store, member)).at(-1)).toBe('1 AttemptBegun');
  });

  it('does only what is missing, step by step', async () => {
    const members = [await till.withPurchases(2), await till.withPurchases(2), await till.withPurchases(2)];
    const steps = (await claim(store)).map((lane) => stepOf(leaseOf(lane), { begin: beginOf(1) }));
    await record(store, steps[1]!);
    const results = await recordSteps(store.database, { steps, now, isRetry: true }, store.keys);
    expect(results).toMatchObject([{ begun: true }, { begun: true }, { begun: true }]);
    for (const member of members) expect(await historyOf(store, member)).toHaveLength(3);
  });

  it('is granted when the first call is still running and commits only now', async () => {
    const member = await till.withPurchases(2);
    const lease = await begin(store, await claimOne(store));
    const step = stepOf(lease, { completion: applied(lease), begin: beginOf(2) });
    const second = await whileLocked(
      store,
      (session) => {
        const database = { execute: session.query.bind(session) } as Pick<Database, 'execute'> as Database;
        return recordSteps(database, { steps: [step], now, isRetry: false }, store.keys);
      },
      () => record(store, step, true),
    );
    expect(second).toMatchObject({ completed: true, begun: true });
    expect((await historyOf(store, member)).slice(-2)).toEqual(['1 AttemptApplied', '2 AttemptBegun']);
  });
});
