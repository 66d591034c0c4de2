import { beginRecovery } from '#intents';
import type { TestStore } from '#intents/testing';
import { now, testStore } from '#intents/testing';

import type { Job, JobTurn } from './job-repository.js';
import {
  jobFailuresMax,
  JobIdTakenError,
  jobLeaseMs,
  jobLinesMax,
  JobRepository,
  jobRetryMs,
} from './job-repository.js';

let store: TestStore;
const stored = (): JobRepository => new JobRepository(store.database);

beforeEach(async () => {
  store = await testStore(4);
});

afterEach(() => store.close());

const [first, second] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
const audit = { at: now, actor: 'ada', address: '10.0.0.1', reason: 'the partner moved' };
const kinds = ['reread'] as const;
const going: JobTurn = { cursor: { page: 2 }, progress: { pages: 1 }, isDone: false };

const create = (jobId = 'j1', kind: Job['kind'] = 'reread'): Promise<Job> =>
  stored().create({ jobId, kind, program: 'coffee-club', request: { a: 1 }, audit });
const lease = (owner: string, at = now): Promise<Job[]> => stored().lease({ owner, kinds, now: at });
const save = (owner: string, turn: JobTurn): Promise<boolean> =>
  stored().save({ jobId: 'j1', owner, now: now + 1, turn });
const lines = () => stored().lines({ jobId: 'j1', after: 0, limit: 10 });

async function job(): Promise<Job> {
  const found = await stored().find('j1');
  if (found === null) throw new Error('no such job');
  return found;
}

describe('a job that a lost history may have carried on', () => {
  const made = async (jobId: string, kind: Job['kind'], request: object): Promise<void> => {
    await stored().create({
      jobId,
      kind,
      program: 'coffee-club',
      request: { ...request },
      audit,
    });
  };
  const stateOf = async (jobId: string) => stored().find(jobId);

  it('regression: is a person\u2019s after a restore where it calls the partner, and of a scheduling the call counts as begun', async () => {
    await made('call', 'schedule', { dryRun: false });
    await made('held', 'schedule', { dryRun: false });
    await stored().steer({
      job: (await stateOf('held'))!,
      steering: 'pause',
      audit,
      role: 'admin',
    });
    await made('count', 'schedule', { dryRun: true });
    await made('apply', 'provision', { apply: true });
    await made('plan', 'provision', { apply: false });
    const [recoveredFrom, startedAt] = [now + 60_000, now + 120_000];
    await beginRecovery(store.database, { recoveredFrom, lostUntil: null, now: startedAt });
    const begun = { selected: null, begunAt: startedAt };
    expect(await stateOf('call')).toMatchObject({ state: 'failed', cursor: begun });
    expect(await stateOf('held')).toMatchObject({ state: 'paused', cursor: begun });
    expect(await stateOf('apply')).toMatchObject({
      state: 'failed',
      error: 'the database was restored: look at the partner before it goes on',
    });
    expect(await stateOf('count')).toMatchObject({ state: 'waiting', cursor: null });
    expect(await stateOf('plan')).toMatchObject({ state: 'waiting' });
  });

  it('regression: comes to its end before it is paused or cancelled while its one call is under way', async () => {
    await made('call', 'schedule', { dryRun: false });
    const held = await stored().lease({ owner: first, kinds: ['schedule'], now });
    expect(await stored().steer({ job: held[0]!, steering: 'pause', audit, role: 'admin' })).toMatchObject({
      state: 'paused',
    });
    await stored().steer({ job: held[0]!, steering: 'resume', audit, role: 'admin' });
    const [job] = await stored().lease({ owner: first, kinds: ['schedule'], now });
    await store.sql(`UPDATE job SET cursor = '{"begunAt": 1}'`);
    expect(await stored().steer({ job: job!, steering: 'cancel', audit, role: 'admin' })).toBeNull();
    expect(await stored().steer({ job: job!, steering: 'pause', audit, role: 'admin' })).toBeNull();
    const turn: JobTurn = { cursor: { begunAt: 1 }, progress: {}, isDone: true, report: { result: 'scheduled' } };
    expect(await stored().save({ jobId: 'call', owner: first, now, turn })).toBe(true);
  });
});

describe('a stored job', () => {
  it('is made once, whoever asks again, and leaves a trace', async () => {
    expect(await create()).toMatchObject({ state: 'waiting', request: { a: 1 }, createdBy: 'ada' });
    await lease(first);
    expect(await create()).toMatchObject({ state: 'running' });
    expect(await stored().list({ kinds: ['reread'], programs: null })).toHaveLength(1);
    expect(await store.sql('SELECT action, detail FROM operator_action')).toEqual([
      { action: 'reread.start', detail: { job: 'j1', program: 'coffee-club' } },
    ]);
  });

  it("is nobody else's: an id that stands for another kind, program or request is refused, and leaves no trace", async () => {
    const request = { memberId: 'a', page: { size: 1, from: 2 } };
    const asked = { jobId: 'j1', kind: 'erase', program: 'coffee-club', request, audit } as const;
    await stored().create(asked);
    const others = [
      { kind: 'reread' as const },
      { program: 'tea' },
      { program: null },
      { request: { ...request, memberId: 'b' } },
      { request: { ...request, page: { size: 1, from: 3 } } },
      { request: {} },
    ];
    for (const other of others) {
      await expect(stored().create({ ...asked, ...other })).rejects.toThrow(JobIdTakenError);
    }
    const again = { page: { from: 2, size: 1 }, memberId: 'a', left: undefined };
    const later = { ...audit, reason: 'asked once more' };
    expect(await stored().create({ ...asked, request: again, audit: later })).toMatchObject({
      request,
    });
    expect(await store.sql('SELECT action FROM operator_action')).toEqual([{ action: 'erase.start' }]);
  });

  it('is worked on by one process at a time, and by another once that one is gone', async () => {
    await create();
    expect(await lease(first)).toHaveLength(1);
    expect(await lease(second)).toEqual([]);
    await save(first, going);
    expect(await lease(second, now + jobLeaseMs + 1)).toMatchObject([{ cursor: { page: 2 }, progress: { pages: 1 } }]);
    expect(await save(first, { ...going, progress: { pages: 9 } })).toBe(false);
    expect((await job()).progress).toEqual({ pages: 1 });
  });

  it('is left alone while it has nothing to do, and after a turn that failed, until somebody resumes it', async () => {
    await create();
    await lease(first);
    await save(first, { ...going, againAt: now + 5_000 });
    expect(await lease(first, now + 4_999)).toEqual([]);
    expect(await lease(first, now + 5_000)).toHaveLength(1);
    await stored().fail({
      jobId: 'j1',
      owner: first,
      error: 'no',
      isFinal: false,
      now: now + 5_000,
    });
    expect(await lease(first, now + 5_000 + jobRetryMs - 1)).toEqual([]);
    await stored().steer({ job: await job(), steering: 'pause', audit, role: 'admin' });
    await stored().steer({ job: await job(), steering: 'resume', audit, role: 'admin' });
    expect(await lease(first, now + 5_001)).toHaveLength(1);
  });

  it('has its turn, however many others have not come to their end', async () => {
    for (let index = 0; index < 5; index += 1) await create(`j${index}`);
    const turns: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      for (const { jobId } of await lease(first, now + round)) {
        turns.push(jobId);
        await stored().save({ jobId, owner: first, now: now + round, turn: going });
      }
    }
    expect(turns).toHaveLength(10);
    for (const some of [turns.slice(0, 5), turns.slice(5)]) expect(new Set(some).size).toBe(5);
  });

  it('is left to processes that know its kind', async () => {
    await create('j1', 'provision');
    expect(await lease(first)).toEqual([]);
  });

  it('keeps what it finds in order, and what is written with a turn, or neither', async () => {
    await create();
    await lease(first);
    await save(first, { ...going, lines: [{ n: 1 }, { n: 2 }] });
    const alongside = (): Promise<never> => Promise.reject(new Error('no'));
    await expect(save(first, { ...going, lines: [{ n: 3 }], alongside })).rejects.toThrow('no');
    await save(first, { ...going, lines: [{ n: 4 }], report: { ok: true }, isDone: true });
    expect(await lines()).toEqual([
      { ordinal: 1, data: { n: 1 } },
      { ordinal: 2, data: { n: 2 } },
      { ordinal: 3, data: { n: 4 } },
    ]);
    expect(await job()).toMatchObject({ state: 'done', report: { ok: true }, lines: 3, finishedAt: now + 1 });
  });

  it('leaves no more lines than anybody will read', async () => {
    await create();
    await lease(first);
    await store.sql(`UPDATE job SET lines = ${jobLinesMax}`);
    expect(await save(first, { ...going, lines: [{ n: 1 }] })).toBe(false);
  });

  it('is given up after so many turns that failed, and goes on where it was when somebody says so', async () => {
    await create();
    await lease(first);
    await save(first, going);
    const failure = { jobId: 'j1', owner: first, error: 'the partner is away', now };
    for (let turn = 1; turn < jobFailuresMax; turn += 1) await stored().fail({ ...failure, isFinal: false });
    expect(await job()).toMatchObject({ state: 'running', failures: jobFailuresMax - 1 });
    await stored().fail({ ...failure, isFinal: false });
    expect(await job()).toMatchObject({ state: 'failed', error: 'the partner is away' });
    await stored().steer({ job: await job(), steering: 'resume', audit, role: 'admin' });
    expect(await lease(second)).toMatchObject([{ cursor: { page: 2 }, failures: 0 }]);
    await stored().fail({ ...failure, owner: second, isFinal: true });
    expect((await job()).state).toBe('failed');
  });

  it('writes nothing more once somebody has paused or cancelled it', async () => {
    await create();
    await lease(first);
    expect(await stored().steer({ job: await job(), steering: 'pause', audit, role: 'admin' })).toMatchObject({
      state: 'paused',
    });
    expect(await save(first, going)).toBe(false);
    expect(await lease(first)).toEqual([]);
    await stored().steer({ job: await job(), steering: 'cancel', audit, role: 'admin' });
    expect(await stored().steer({ job: await job(), steering: 'resume', audit, role: 'admin' })).toBeNull();
  });
});

describe('a turn of a job', () => {
  const owner = '00000000-0000-4000-8000-000000000001';
  const audit = { at: now, actor: 'ada', address: null, reason: 'spec' };
  const going: JobTurn = { cursor: null, progress: { pages: 1 }, isDone: false };

  async function create(jobId: string): Promise<void> {
    await stored().create({ jobId, kind: 'reread', program: null, request: {}, audit });
  }

  async function lease(at = now): Promise<string[]> {
    const jobs = await stored().lease({ owner, kinds: ['reread'], now: at });
    return jobs.map(({ jobId }) => jobId).toSorted();
  }

  const save = (turn: JobTurn, jobId = 'j1'): Promise<boolean> => stored().save({ jobId, owner, now, turn });

  it('keeps what was found out while it was written, after its own lines, or nothing of both', async () => {
    await create('j1');
    await lease();
    const findings: JobTurn['findings'] = async (session) => {
      await session.query({ name: 'spec', text: `INSERT INTO reconciliation (job_id) VALUES ('j1')` });
      return { progress: { pages: 1, adopted: 2 }, lines: [{ n: 2 }, { n: 3 }] };
    };
    expect(await save({ ...going, lines: [{ n: 1 }], findings })).toBe(true);
    const lines = await stored().lines({ jobId: 'j1', after: 0, limit: 10 });
    expect(lines.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(await stored().find('j1')).toMatchObject({ progress: { adopted: 2 }, lines: 3 });
    await expect(save({ ...going, lines: [{ n: 4 }], findings })).rejects.toThrow();
    expect(await stored().find('j1')).toMatchObject({ lines: 3 });
  });

  it('finds nothing out for a job that somebody has paused', async () => {
    await create('j1');
    await lease();
    const job = await stored().find('j1');
    await stored().steer({ job: job!, steering: 'pause', audit, role: 'admin' });
    const findings = (): Promise<never> => Promise.reject(new Error('asked'));
    expect(await save({ ...going, findings })).toBe(false);
  });

  it('says when the next one may come', async () => {
    await create('j1');
    await lease();
    await save({ ...going, againAt: now + 5_000 });
    expect(await lease(now + 4_999)).toEqual([]);
    expect(await lease(now + 5_000)).toEqual(['j1']);
    await save(going);
    expect(await lease(now + 5_000)).toEqual(['j1']);
  });

  it('that failed keeps its job away for a while, and no other', async () => {
    await create('j1');
    await create('j2');
    await lease();
    await stored().fail({ jobId: 'j1', owner, error: 'no', isFinal: false, now });
    expect(await lease(now + 1)).toEqual(['j2']);
    await save({ ...going, isDone: true }, 'j2');
    expect(await lease(now + 60_000)).toEqual(['j1']);
  });

  it('that succeeds takes back what was said of those that failed before', async () => {
    await create('j1');
    await lease();
    await stored().fail({
      jobId: 'j1',
      owner,
      error: 'the partner is away',
      isFinal: false,
      now,
    });
    expect(await stored().find('j1')).toMatchObject({
      error: 'the partner is away',
      failures: 1,
    });
    await lease(now + 60_000);
    await save({ ...going, isDone: true });
    expect(await stored().find('j1')).toMatchObject({
      state: 'done',
      error: null,
      failures: 0,
    });
  });
});
