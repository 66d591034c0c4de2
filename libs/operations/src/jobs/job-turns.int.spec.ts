import type { TestStore } from '#intents/testing';
import { now, testStore } from '#intents/testing';

import type { JobTurn } from './job-store.js';
import { createJob, failJob, findJob, leaseJobs, listJobLines, saveJob, steerJob } from './job-store.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(4);
});

afterEach(() => store.close());

const owner = '00000000-0000-4000-8000-000000000001';
const word = { at: now, actor: 'ada', address: null, reason: 'spec' };
const going: JobTurn = { cursor: null, progress: { pages: 1 }, isDone: false };

async function create(jobId: string): Promise<void> {
  await createJob(store.database, { jobId, kind: 'adoption', program: null, request: {}, word });
}

async function lease(at = now): Promise<string[]> {
  const jobs = await leaseJobs(store.database, { owner, kinds: ['adoption'], now: at });
  return jobs.map(({ jobId }) => jobId).toSorted();
}

const save = (turn: JobTurn, jobId = 'j1'): Promise<boolean> => saveJob(store.database, { jobId, owner, now, turn });

describe('a turn of a job', () => {
  it('keeps what was found out while it was written, after its own lines, or nothing of both', async () => {
    await create('j1');
    await lease();
    const findings: JobTurn['findings'] = async (session) => {
      await session.query({ name: 'spec', text: `INSERT INTO reconciliation (job_id) VALUES ('j1')` });
      return { progress: { pages: 1, adopted: 2 }, lines: [{ n: 2 }, { n: 3 }] };
    };
    expect(await save({ ...going, lines: [{ n: 1 }], findings })).toBe(true);
    const lines = await listJobLines(store.database, { jobId: 'j1', after: 0, limit: 10 });
    expect(lines.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(await findJob(store.database, 'adoption', 'j1')).toMatchObject({ progress: { adopted: 2 }, lines: 3 });
    await expect(save({ ...going, lines: [{ n: 4 }], findings })).rejects.toThrow();
    expect(await findJob(store.database, 'adoption', 'j1')).toMatchObject({ lines: 3 });
  });

  it('finds nothing out for a job that somebody has paused', async () => {
    await create('j1');
    await lease();
    const job = await findJob(store.database, 'adoption', 'j1');
    await steerJob(store.database, { job: job!, steering: 'pause', word });
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
    await failJob(store.database, { jobId: 'j1', owner, error: 'no', isFinal: false, now });
    expect(await lease(now + 1)).toEqual(['j2']);
    await save({ ...going, isDone: true }, 'j2');
    expect(await lease(now + 60_000)).toEqual(['j1']);
  });

  it('that succeeds takes back what was said of those that failed before', async () => {
    await create('j1');
    await lease();
    await failJob(store.database, { jobId: 'j1', owner, error: 'the partner is away', isFinal: false, now });
    expect(await findJob(store.database, 'adoption', 'j1')).toMatchObject({
      error: 'the partner is away',
      failures: 1,
    });
    await lease(now + 60_000);
    await save({ ...going, isDone: true });
    expect(await findJob(store.database, 'adoption', 'j1')).toMatchObject({ state: 'done', error: null, failures: 0 });
  });
});
