import {
  applied,
  begin,
  beginOf,
  claim,
  claimOne,
  completion,
  openLanes,
  record,
  stepOf,
} from '../../testing/lease.js';
import { enrolment, laneOf, now, purchase, update } from '../../testing/records.js';
import { recordLateOutcomes } from './record-late-outcomes.js';

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

  it('is worth nothing where another call of the lane has become known since', async () => {
    await till.record(enrolment('d1', 'd'), purchase('d2', 'd'));
    await deliver();
    await loseAfterRead(450);
    const lane = await laneOf(store, 'd');
    const event = { type: 'LateOutcome', at: now + 900, attempt: 1, outcome: 'applied', code: 'applied' } as const;
    const late = { key: null, laneId: lane.lane_id, epoch: 1, seq: 1, event, evidence: null };
    await recordLateOutcomes(store.database, [late], store.keys);
    expect(await quietPeriodMs()).toBeLessThan(0);
  });

  it.each([
    ['a scheduled change was accepted within a day before', 'schedule-update', 450 - 86_400_000],
    ['an update was made long before', 'update-via-workflow', 450],
  ])('%s', async (_what, operation, expected) => {
    const member = `e-${operation}`;
    const { verdict, ...event } = update(`${member}1`, member);
    const intents = verdict.intents.map((intent) => ({
      ...intent,
      operation,
      command: { ...intent.command, operation },
    }));
    const made = { ...event, verdict: { ...verdict, intents: intents as typeof verdict.intents } };
    await till.record(made, purchase(`${member}2`, member));
    await deliver();
    await loseAfterRead(450);
    expect(await quietPeriodMs()).toBe(expected);
  });

  it('needs no calm where nothing was read', async () => {
    await till.record(purchase('c1', 'c'), purchase('c2', 'c'));
    await deliver();
    await loseAfterRead(null);
    expect(await quietPeriodMs()).toBeUndefined();
  });
});
