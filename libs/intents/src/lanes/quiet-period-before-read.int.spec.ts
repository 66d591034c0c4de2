import { applied, begin, beginOf, claim, claimOne, completion, openLanes, record, stepOf } from '../testing/lease.js';
import { enrolment, now, purchase } from '../testing/records.js';

const { store, till } = await openLanes();

/** The lane's next call is answered at `now`. */
async function deliver(): Promise<void> {
  const lease = await begin(store, await claimOne(store));
  await record(store, stepOf(lease, { completion: applied(lease) }));
}

/** The lane's next call gets no answer; the pass was read so long after `now`. */
async function loseAfterRead(readAfterMs: number | null): Promise<void> {
  const lease = await claimOne(store);
  const before = readAfterMs === null ? null : { points: 5, readAt: now + readAfterMs };
  const { begun } = await record(store, stepOf(lease, { begin: { ...beginOf(lease.seq)!, before } }));
  expect(begun).toBe(true);
  const open = { ...lease, attempt: 1, attemptOpen: true };
  const lost = { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: now } as const;
  await record(store, stepOf(open, { completion: completion(open, 'retry', { events: [lost], dueAt: now }) }));
}

async function quietPeriodMs(): Promise<number | undefined> {
  const [lane] = await claim(store);
  return lane?.intents.get(lane.cursor.current)?.quietPeriodMs;
}

describe('what was read before a call in doubt', () => {
  it('is told with how long the lane had been calm then', async () => {
    await till.record(purchase('a1', 'a'), purchase('a2', 'a'));
    await deliver();
    await loseAfterRead(450);
    expect(await quietPeriodMs()).toBe(450);
  });

  it('stands alone where nothing else was called, or only the pass was issued', async () => {
    await till.record(enrolment('b1', 'b'), purchase('b2', 'b'));
    await deliver();
    await loseAfterRead(450);
    expect(await quietPeriodMs()).toBeUndefined();
  });

  it('needs no calm where nothing was read', async () => {
    await till.record(purchase('c1', 'c'), purchase('c2', 'c'));
    await deliver();
    await loseAfterRead(null);
    expect(await quietPeriodMs()).toBeUndefined();
  });
});
