import type { SeriesView } from '#contracts';
import { seriesQuerySchema } from '#contracts';
import type { IntentEvent } from '#intents/core';
import { waitUntil } from '#embedded';
import type { CallCounts, ProcessFigures } from '#intents';
import { addMinuteCalls, callBucket, latencyOf, minuteMs, ProcessRepository, SettledTally } from '#intents';
import type { TestStore } from '#intents/testing';
import {
  begin,
  claimOne,
  completion,
  deliverOne,
  now,
  program,
  purchase,
  record,
  setAside,
  SettableClock,
  stepOf,
  testStore,
  Till,
} from '#intents/testing';
import type { Logger, SqlParameter } from '#platform';
import { SystemRandom } from '#platform';
import { rowsRead } from '#test-support';

import type { Actor } from '../access/operator.js';
import { ZodPipe } from '../requests/read-request.js';
import { lookAtMinutes, minuteLooks, minutesKeptMs } from './minute-looks.js';
import { seriesPointsMax, stepSecondsOf } from './read-series.js';
import { SeriesRepository } from './read-series.js';
import { SeriesController } from './series.controller.js';

const secondMs = 1_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const viewer: Actor = { name: 'vi', role: 'viewer', programs: null, address: '10.0.0.1' };

let store: TestStore;
let till: Till;
let clock: SettableClock;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
  clock = new SettableClock(now);
  // As if the migration had run when the clock of the specs begins.
  await store.sql('UPDATE minute_checkpoint SET at = to_timestamp($1)', now / secondMs - 60);
});

afterEach(() => store.close());

const random = new SystemRandom();

/** Looks until there is nothing more to do, at that time after `now`. */
async function lookAt(afterMs: number): Promise<void> {
  clock.at = now + afterMs;
  while ((await lookAtMinutes({ database: store.database, clock, random })) === 0);
}

async function tallyAll(): Promise<void> {
  const tally = new SettledTally(store.database);
  const isDone = async (): Promise<boolean> => (await tally.step()) === 'idle';
  await waitUntil(isDone, { what: 'everything to be counted', timeoutMs: 30_000, intervalMs: 5 });
}

async function read(query: object = {}, actor: Partial<Actor> = {}): Promise<SeriesView> {
  const controller = new SeriesController(new SeriesRepository(store.database), clock);
  return controller.read(new ZodPipe(seriesQuerySchema).transform(query), { ...viewer, ...actor });
}

type Point = SeriesView['items'][number];

/** The last minutes, the newest last. */
async function minutes(count: number, query: object = {}, actor: Partial<Actor> = {}): Promise<Point[]> {
  const from = new Date(clock.at - hourMs).toISOString();
  const { stepSeconds, items } = await read({ from, ...query }, actor);
  expect(stepSeconds).toBe(60);
  return items.slice(-count);
}

const nothing = {
  ...{ received: 0, delivered: 0, parked: 0, unknown: 0, cancelled: 0, quarantined: 0 },
  ...{ waiting: 0, pending: 0, stillUnknown: 0, stillParked: 0 },
  // Nobody was called, and nobody takes in who could tell how far Kafka is ahead.
  ...{ latencyP50Ms: null, latencyP95Ms: null, lagRecords: null, lagSeconds: null },
};
const gap = Object.fromEntries(Object.keys(nothing).map((name) => [name, null]));
const untold = { latencyP50Ms: null, latencyP95Ms: null, lagRecords: null, lagSeconds: null };
const iso = (afterMs: number): string => new Date(now + afterMs).toISOString();

async function attempt(kind: Parameters<typeof completion>[1], ...events: IntentEvent[]): Promise<void> {
  const lease = await begin(store, await claimOne(store));
  const dueAt = now + dayMs;
  await record(store, stepOf(lease, { completion: completion(lease, kind, { events, dueAt }) }));
}

/** One is delivered, one parked, one in doubt, one pending, and one record is set aside. */
async function live(): Promise<void> {
  await till.record(purchase('p1', 'm1'));
  await deliverOne(store);
  await till.record(purchase('p2', 'm2'));
  await attempt(
    'settle',
    { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' },
    { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' },
  );
  await till.record(purchase('p3', 'm3'));
  await attempt('await', { type: 'AttemptUnknown', at: now, attempt: 1, code: 'timeout', checkAt: null });
  await till.record(purchase('p4', 'm4'));
  await setAside(store, till, ['bad']);
  await tallyAll();
}

const lived = {
  ...{ ...nothing, received: 4, delivered: 1, parked: 1, unknown: 1, quarantined: 1 },
  ...{ pending: 1, stillUnknown: 1, stillParked: 1 },
};

describe('the series', () => {
  it('tells what happened in a minute, and what stood at its end', async () => {
    await live();
    await lookAt(minuteMs + secondMs);
    expect(await minutes(1)).toEqual([{ at: iso(0), ...lived }]);
    await lookAt(2 * minuteMs + secondMs);
    const stood = { pending: 1, stillUnknown: 1, stillParked: 1 };
    expect(await minutes(2)).toEqual([
      { at: iso(0), ...lived },
      { at: iso(minuteMs), ...nothing, ...stood },
    ]);
  });

  it('has no minute before it is over, and none of which nobody has had the time to tell', async () => {
    await lookAt(minuteMs + secondMs);
    clock.at = now + minuteMs + 59 * secondMs;
    expect((await minutes(1)).map(({ at }) => at)).toEqual([iso(0)]);
    clock.at = now + 2 * minuteMs + secondMs;
    expect((await minutes(1)).map(({ at }) => at)).toEqual([iso(0)]);
  });

  it('leaves out the minute that runs, of which a part is counted already', async () => {
    await live();
    clock.at = now + secondMs;
    const { items } = await read({ from: new Date(now - hourMs).toISOString() });
    expect(items.filter(({ at }) => Date.parse(at) + minuteMs > clock.at)).toEqual([]);
  });

  it('has a gap, and no zeros, where nobody looked and nothing is found', async () => {
    await lookAt(minuteMs + secondMs);
    await lookAt(6 * minuteMs + secondMs);
    const [first, ...others] = await minutes(6);
    expect(first).toEqual({ at: iso(0), ...nothing });
    expect(others.map(({ at: _at, ...counts }) => counts)).toEqual([gap, gap, gap, gap, nothing]);
  });

  it('fills a gap with what was recorded and what happened in it', async () => {
    await lookAt(-minuteMs + secondMs);
    await live();
    await till.recordAt(now + 90 * secondMs, purchase('p5', 'm5'));
    await lookAt(20 * minuteMs + secondMs);
    const { pending: _pending, stillUnknown: _unknown, stillParked: _parked, waiting: _waiting, ...happened } = lived;
    const unseen = { waiting: null, pending: null, stillUnknown: null, stillParked: null };
    const shown = await minutes(20);
    expect(shown.slice(0, 3)).toEqual([
      { at: iso(0), ...happened, cancelled: 0, ...unseen },
      {
        at: iso(minuteMs),
        ...{ ...unseen, ...untold },
        received: 1,
        delivered: 0,
        parked: 0,
        unknown: 0,
        cancelled: 0,
        quarantined: null,
      },
      { at: iso(2 * minuteMs), ...gap },
    ]);
    expect(shown.at(-1)).toMatchObject({ received: 0, pending: 2 });
  });

  it('does not say what stood at the end of a minute where it comes late', async () => {
    await till.record(purchase('p1', 'm1'));
    await lookAt(minuteMs + 45 * secondMs);
    expect(await minutes(1)).toMatchObject([{ at: iso(0), received: 1, pending: null }]);
  });

  it('counts what was committed after its minute had been counted', async () => {
    await lookAt(minuteMs + secondMs);
    await till.recordAt(now + 59 * secondMs, purchase('p1', 'm1'));
    await setAside(store, till, ['bad']);
    await lookAt(2 * minuteMs + secondMs);
    expect(await minutes(2)).toMatchObject([
      { at: iso(0), received: 1, quarantined: 1 },
      { at: iso(minuteMs), received: 0, quarantined: 0 },
    ]);
  });

  it('is the same however many processes write the same minute at once', async () => {
    await live();
    clock.at = now + minuteMs + secondMs;
    const look = (): Promise<number> => lookAtMinutes({ database: store.database, clock, random });
    await Promise.all([look(), look(), look(), tallyAll()]);
    await Promise.all([look(), look(), look()]);
    expect(await minutes(1)).toEqual([{ at: iso(0), ...lived }]);
  });

  it('shows a token that is limited to programs those alone, and no record that was set aside', async () => {
    await live();
    await lookAt(minuteMs + secondMs);
    expect(await minutes(1, {}, { programs: [program] })).toEqual([{ at: iso(0), ...lived, quarantined: null }]);
    const none = [{ at: iso(0), ...nothing, quarantined: null }];
    expect(await minutes(1, {}, { programs: ['tea-club'] })).toEqual(none);
    expect(await minutes(1, { program }, { programs: ['tea-club'] })).toEqual(none);
    expect(await minutes(1, { program })).toEqual([{ at: iso(0), ...lived, quarantined: null }]);
    expect(await minutes(1, { program: 'nobody' })).toEqual(none);
  });

  it('sums minutes up to longer steps, and takes what stood at the end of each', async () => {
    await live();
    await lookAt(minuteMs + secondMs);
    await till.recordAt(now + minuteMs + secondMs, purchase('p5', 'm5'));
    await lookAt(2 * minuteMs + secondMs);
    const { stepSeconds, items } = await read({ from: iso(-23 * hourMs), program });
    expect(stepSeconds).toBe(300);
    const last = items.at(-1);
    expect(last).toMatchObject({ received: 5, delivered: 1, pending: 2, stillParked: 1 });
    expect(items.slice(0, -1).every(({ received, pending }) => received === null && pending === null)).toBe(true);
  });

  /** So many calls of these durations, told by one process. */
  const called = async (minute: number, callsByMs: Readonly<Record<number, number>>, name = program): Promise<void> => {
    const calls: CallCounts = Object.fromEntries(
      Object.entries(callsByMs).map(([ms, count]) => [String(callBucket(Number(ms))), count]),
    );
    await addMinuteCalls(store.database, [{ at: now + minute * minuteMs, program: name, calls }]);
  };
  /** As such calls are told. */
  const about = (ms: number): unknown => latencyOf({ [callBucket(ms)]: 1 })?.p50;

  it('tells how long the partner took: of all processes together, also of one that has begun anew', async () => {
    await lookAt(minuteMs + secondMs);
    await called(0, { 10: 90 });
    await called(0, { 10: 4, 2_000: 6 });
    await called(0, { 2_000: 1 });
    expect(await minutes(1)).toMatchObject([{ latencyP50Ms: about(10), latencyP95Ms: about(2_000), received: 0 }]);
    await called(0, { 10: 1_000 });
    expect(await minutes(1)).toMatchObject([{ latencyP50Ms: about(10), latencyP95Ms: about(10) }]);
  });

  it('has no latency in a minute without calls, and none where nobody told of them', async () => {
    await live();
    await lookAt(minuteMs + secondMs);
    await called(1, { 40: 3 });
    await lookAt(2 * minuteMs + secondMs);
    expect(await minutes(2)).toMatchObject([
      { delivered: 1, latencyP50Ms: null, latencyP95Ms: null },
      { delivered: 0, latencyP50Ms: about(40), latencyP95Ms: about(40), pending: 1 },
    ]);
  });

  it('adds calls up where many processes tell of the same minute at once, and loses none', async () => {
    const told = Array.from({ length: 20 }, (_, process) => called(0, { 10: 1, [process % 2 === 0 ? 20 : 900]: 1 }));
    await Promise.all([...told, lookAt(minuteMs + secondMs)]);
    expect(
      await store.sql('SELECT call_buckets, call_counts FROM minute_tally WHERE program_id = $1', program),
    ).toEqual([{ call_buckets: [10, 20, 900].map(callBucket), call_counts: [20, 10, 10] }]);
  });

  it('tells the true percentiles of longer steps, which those of their minutes do not give', async () => {
    // Four quiet minutes of one slow call each, and a busy one: of all calls nearly all were quick.
    for (let minute = 0; minute < 4; minute += 1) await called(minute, { 3_000: 1 });
    await called(4, { 15: 991 });
    await lookAt(2 * hourMs + secondMs);
    const { items } = await read({ from: iso(-22 * hourMs), to: iso(2 * hourMs) });
    const known = items.filter(({ latencyP50Ms }) => latencyP50Ms !== null);
    expect(known).toMatchObject([{ latencyP50Ms: about(15), latencyP95Ms: about(15) }]);
  });

  it('tells of a program, and to a token that is limited to some, the latency of these alone', async () => {
    await called(0, { 10: 100 });
    await called(0, { 5_000: 300 }, 'tea-club');
    await lookAt(minuteMs + secondMs);
    expect(await minutes(1)).toMatchObject([{ latencyP50Ms: about(5_000) }]);
    expect(await minutes(1, { program })).toMatchObject([{ latencyP50Ms: about(10) }]);
    expect(await minutes(1, {}, { programs: ['tea-club'] })).toMatchObject([{ latencyP50Ms: about(5_000) }]);
    expect(await minutes(1, {}, { programs: [] })).toMatchObject([{ latencyP50Ms: null }]);
  });

  const reports = async (number: number, lag: ProcessFigures['lag'], role = 'ingest'): Promise<void> => {
    const process = {
      ...{ processId: `0000000${number}-0000-4000-8000-000000000000`, host: 'pod', roles: [role], startedAt: now },
      ...{ programs: { hash: 'aa01', since: now }, programsProblem: null, keyIds: [], figures: { partner: {}, lag } },
    };
    await new ProcessRepository(store.database).report(process, clock.at);
  };
  const lagIn = async (minute: number): Promise<unknown> => {
    await lookAt((minute + 1) * minuteMs + secondMs);
    const [point] = await minutes(1);
    return [point?.lagRecords, point?.lagSeconds];
  };
  const ahead = (records: number, oldestAt: number | null) => ({ purchases: { records, oldestAt } });

  it('tells how far Kafka was ahead of all who take in', async () => {
    clock.at = now + minuteMs;
    await reports(1, ahead(70, now));
    await reports(2, { ...ahead(5, null), members: { records: 2, oldestAt: now + 50 * secondMs } });
    await reports(3, null, 'delivery');
    await reports(4, {});
    expect(await lagIn(0)).toEqual([77, 61]);
    clock.at = now + 2 * minuteMs;
    for (const number of [1, 2, 4]) await reports(number, ahead(0, null));
    expect(await lagIn(1)).toEqual([0, 0]);
    clock.at = now + 3 * minuteMs;
    for (const number of [1, 2, 4]) await reports(number, ahead(number, null));
    expect(await lagIn(2)).toEqual([7, null]);
    expect(await minutes(1, { program })).toMatchObject([{ lagRecords: null, lagSeconds: null }]);
    expect(await minutes(1, {}, { programs: [program] })).toMatchObject([{ lagRecords: null, lagSeconds: null }]);
  });

  it('has a gap where one who takes in does not know how far Kafka is ahead, or has just died, and no sum of the others', async () => {
    clock.at = now + minuteMs;
    await reports(1, ahead(70, now));
    await reports(2, null);
    expect(await lagIn(0)).toEqual([null, null]);
    clock.at = now + minuteMs + 30 * secondMs;
    await reports(2, ahead(5, null));
    clock.at = now + 2 * minuteMs;
    await reports(1, ahead(70, now));
    expect(await lagIn(1)).toEqual([null, null]);
    // Others have taken its partitions over by then.
    clock.at = now + 3 * minuteMs;
    await reports(1, ahead(75, now));
    expect(await lagIn(2)).toEqual([75, 181]);
    clock.at = now + 4 * minuteMs;
    await reports(1, {});
    expect(await lagIn(3)).toEqual([null, null]);
  });

  it('takes the most that Kafka was ahead in a longer step, not what was left at its end', async () => {
    for (const [minute, records] of [3, 900, 0].entries()) {
      clock.at = now + (minute + 1) * minuteMs;
      await reports(1, ahead(records, records === 0 ? null : clock.at - 1_000 * records));
      await lagIn(minute);
    }
    const { items } = await read({ from: iso(-23 * hourMs) });
    expect(items.at(-1)).toMatchObject({ lagRecords: 900, lagSeconds: 901 });
  });

  it('forgets after a day, a little at a time', async () => {
    await store.sql(
      `INSERT INTO minute_tally (at, program_id) SELECT to_timestamp($1) - n * interval '1 minute', 'old'
       FROM generate_series(1, 1500) AS n`,
      (now - minutesKeptMs) / secondMs,
    );
    const left = async (): Promise<number | undefined> =>
      (await store.sql<{ rows: number }>(`SELECT count(*) AS rows FROM minute_tally WHERE program_id = 'old'`))[0]
        ?.rows;
    await lookAt(minuteMs + secondMs);
    expect(await left()).toBe(500);
    await lookAt(2 * minuteMs + secondMs);
    expect(await left()).toBe(0);
  });

  it.each([
    ['more than a day', { from: iso(-dayMs - 1), to: iso(0) }],
    ['less than 15 minutes', { from: iso(-14 * minuteMs), to: iso(0) }],
    ['an end before its beginning', { from: iso(0), to: iso(-hourMs) }],
  ])('refuses %s', async (_what, query) => {
    await expect(read(query)).rejects.toMatchObject({ options: { status: 400 } });
  });

  it('reads a day of some programs by looking twice at each of its minutes', async () => {
    await store.sql(
      `INSERT INTO minute_tally (at, program_id, received, waiting, pending, still_unknown, still_parked, call_buckets, call_counts)
       SELECT to_timestamp($1) - n * interval '1 minute', p, 3, 1, 1, 1, 1, buckets, counts
       FROM generate_series(1, 1440) AS n, unnest('{"",coffee-club,tea-club}'::text[]) AS p,
         (SELECT array_agg(b), array_agg(b) FROM generate_series(20, 39) AS b) AS c (buckets, counts)`,
      now / secondMs,
    );
    await store.sql('ANALYZE minute_tally');
    const query = { from: iso(-dayMs), to: iso(0) };
    const asked = jest.spyOn(store.database, 'execute');
    const { items } = await read(query);
    const [[{ text }, values = []] = [{ text: '' }]] = asked.mock.calls;
    asked.mockRestore();
    expect(items).toHaveLength(288);
    expect(items[0]).toMatchObject({ received: 3 * 3 * 5, pending: 3, latencyP50Ms: 197 });
    const rows = 3 * 1_440;
    const looked = await rowsRead((words, at) => store.sql(words, ...(at as SqlParameter[])), { text, values });
    // Once for the counts, once for the calls, and one minute of each step: not all minutes for each step.
    expect(looked).toBeGreaterThan(rows);
    expect(looked).toBeLessThanOrEqual(2 * rows + 3 * 288);
  });
});

describe('the steps of a series', () => {
  it.each([
    [15 * minuteMs, 60],
    [6 * hourMs, 60],
    [6 * hourMs + 1, 120],
    [dayMs, 300],
    [12 * hourMs + 1, 300],
  ])('of %d ms are %d s long', (rangeMs, seconds) => {
    expect(stepSecondsOf(rangeMs)).toBe(seconds);
    expect(rangeMs / secondMs / seconds).toBeLessThanOrEqual(seriesPointsMax);
  });
});

it('is written down by a loop that waits until the next minute is over', async () => {
  clock.at = now + minuteMs + secondMs;
  const quiet = (): void => undefined;
  const logger: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const loop = minuteLooks({ database: store.database, clock, random, logger });
  loop.start();
  await waitUntil(async () => (await minutes(1)).length > 0, { what: 'a minute', timeoutMs: 60_000, intervalMs: 20 });
  await loop.stop();
  expect(loop.failingForMs).toBe(0);
});
