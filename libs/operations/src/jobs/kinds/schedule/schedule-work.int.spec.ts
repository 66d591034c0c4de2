import type { AttemptReport, Partner } from '#gateway';
import { DialectRegistry } from '#gateway';
import { PauseRepository } from '#intents';

import { JobRepository } from '../../job-repository.js';
import type { Job } from '../../job-repository.js';
import { ReadingFixture } from '../../../testing/reading-fixture.js';
import { ScheduleWork } from './schedule-work.js';

let fixture: ReadingFixture;
let answers: AttemptReport<never>['outcome'][];
let calls: number;

beforeEach(async () => {
  fixture = await ReadingFixture.open();
  answers = [];
  calls = 0;
});

afterEach(async () => {
  await fixture.close();
});

const request = { at: '2099-01-01T00:00:00Z', select: { tier: 2 }, dryRun: false };

function work(): ScheduleWork {
  const { clock, random, database, logger, programs, partner: listings } = fixture.tools;
  const scheduleUpdate = (): Promise<object> => {
    calls += 1;
    return Promise.resolve({ outcome: answers.shift() ?? { kind: 'applied' }, stage: 'answer' });
  };
  const countPasses: Partner['countPasses'] = () =>
    listings.countPasses({ brandId: '', programId: '' }, { timeoutMs: 1 });
  const partner = { countPasses, scheduleUpdate: scheduleUpdate as unknown as Partner['scheduleUpdate'] };
  const tools = { clock, random, database, logger, programs, partner };
  return new ScheduleWork({ ...tools, dialects: new DialectRegistry(), timeoutMs: 1_000 });
}

const owners = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const;

/** Makes turns until the passes are counted. */
async function counted(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) {
    const job = await fixture.turn(work(), 's1');
    // Behind the lease of whoever made the turn.
    fixture.clock.moveTo(fixture.clock.now() + 120_000);
    const { selected = null } = (job?.cursor ?? {}) as { readonly selected?: number | null };
    if (selected !== null) return;
  }
  throw new Error('the passes are not counted');
}

/** As one process leases the job. */
async function leased(owner: string, now: number): Promise<Job> {
  const [job] = await new JobRepository(fixture.database).lease({ owner, kinds: ['schedule'], now });
  if (job === undefined) throw new Error('there is no job to lease');
  return job;
}

describe('a scheduled change', () => {
  it('is tried again where the partner has not taken it, and made once', async () => {
    const busy = {
      kind: 'not-applied',
      code: 'http-429',
      answered: false,
      systemic: false,
      retryAfterMs: 2_000,
    } as const;
    answers = [busy, busy, { kind: 'applied' }];
    await fixture.job('s1', 'schedule', request);
    expect((await fixture.run(work(), 's1')).report).toMatchObject({ result: 'scheduled' });
    expect(calls).toBe(3);
  });

  it.each([
    [
      { kind: 'unknown', code: 'timeout', retryAfterMs: null },
      { result: 'unknown', code: 'timeout' },
    ],
    [
      { kind: 'rejected', code: 'refused', message: 'no' },
      { result: 'refused', code: 'refused' },
    ],
    [
      { kind: 'not-applied', code: 'http-404', answered: true, systemic: true, retryAfterMs: null },
      { result: 'refused', code: 'http-404' },
    ],
  ] as const)('ends with %j', async (outcome, report) => {
    answers = [outcome];
    await fixture.job('s1', 'schedule', request);
    const done = await fixture.run(work(), 's1');
    expect(done).toMatchObject({ report, progress: { failed: 1 } });
    expect(calls).toBe(1);
  });

  it('regression: is never made twice where two processes hold the job, one of them for too long', async () => {
    await fixture.job('s1', 'schedule', request);
    await counted();
    const now = fixture.clock.now();
    const slow = await leased(owners[0], now);
    const taken = await leased(owners[1], now + 120_000);
    // The slow one begins after the other has taken the job over.
    await work().turn(slow);
    const turn = await work().turn(taken);
    await new JobRepository(fixture.database).save({ jobId: 's1', owner: owners[1], now: now + 120_000, turn });
    fixture.clock.moveTo(now + 300_000);
    expect((await fixture.run(work(), 's1')).report).toMatchObject({ result: 'unknown', code: 'interrupted' });
    expect(calls).toBe(1);
  });

  it('regression: is not made by a process that has lost the job, after another one has tried in vain', async () => {
    const busy = {
      kind: 'not-applied',
      code: 'http-429',
      answered: false,
      systemic: false,
      retryAfterMs: 2_000,
    } as const;
    answers = [busy];
    await fixture.job('s1', 'schedule', request);
    await counted();
    const now = fixture.clock.now();
    const slow = await leased(owners[0], now);
    const taken = await leased(owners[1], now + 120_000);
    const turn = await work().turn(taken);
    await new JobRepository(fixture.database).save({ jobId: 's1', owner: owners[1], now: now + 120_000, turn });
    fixture.clock.moveTo(now + 300_000);
    await work().turn(slow);
    expect(calls).toBe(1);
    expect((await fixture.run(work(), 's1')).report).toMatchObject({ result: 'scheduled' });
    expect(calls).toBe(2);
  });

  it.each([
    ['a time with its offset', (soonMs: number) => new Date(soonMs).toISOString()],
    ['a local time', (soonMs: number) => ({ dateTime: new Date(soonMs).toISOString().slice(0, 19), timeZone: 'UTC' })],
  ] as const)('regression: is not made where its time has passed since it was asked for: %s', async (_form, atOf) => {
    await fixture.job('s1', 'schedule', { ...request, at: atOf(fixture.clock.now() + 60_000) });
    await counted();
    await expect(fixture.run(work(), 's1')).rejects.toThrow('it cannot be sent: at: lies in the past');
    expect(calls).toBe(0);
  });

  it('shows in the dry run at which instant a local time is', async () => {
    const at = { dateTime: '2099-07-01T09:00:00', timeZone: 'Europe/Berlin' };
    await fixture.job('s1', 'schedule', { ...request, at, dryRun: true });
    const { report } = await fixture.run(work(), 's1');
    expect([calls, report]).toEqual([0, expect.objectContaining({ at: '2099-07-01T07:00:00.000Z' })]);
  });

  it('regression: is not made while scheduled changes are paused', async () => {
    await fixture.job('s1', 'schedule', request);
    await counted();
    const now = fixture.clock.now();
    const pause = { program: null, operation: 'schedule-update', by: 'ada', reason: 'the dialect is wrong' } as const;
    await new PauseRepository(fixture.database).set({ ...pause, automatic: false, now });
    const turn = await work().turn(await leased(owners[0], now));
    expect([calls, turn.isDone]).toEqual([0, false]);
  });

  it('is made after all where somebody had paused it before the call', async () => {
    await fixture.job('s1', 'schedule', request);
    await counted();
    const job = await leased(owners[0], fixture.clock.now());
    await fixture.sql(`UPDATE job SET state = 'paused' WHERE job_id = 's1'`);
    const turn = await work().turn(job);
    expect([calls, turn.isDone, turn.cursor]).toEqual([0, false, job.cursor]);
    await fixture.sql(`UPDATE job SET state = 'waiting', owner = NULL, leased_until = NULL WHERE job_id = 's1'`);
    expect((await fixture.run(work(), 's1')).report).toMatchObject({ result: 'scheduled' });
    expect(await new JobRepository(fixture.database).find('s1')).toMatchObject({ state: 'done' });
  });
});
