import { AuditRepository } from '#intents';
import type { TestStore } from '#intents/testing';
import { now, Retaining, testStore } from '#intents/testing';

import { owners, Replaying, audit } from '../testing/replaying.js';
import { JobItemRepository } from './job-items.js';
import { JobRepository } from './job-repository.js';

let store: TestStore;
let retaining: Retaining;
const stored = (): JobRepository => new JobRepository(store.database);

beforeEach(async () => {
  store = await testStore(4);
  retaining = new Retaining(store);
});

afterEach(async () => {
  await store.close();
});

const [owner] = owners;
const never = { intentDays: 0 };
const ofAll = { ...never, jobDays: 30 };

/** A job that ends with two lines `at`; it goes on where that is null. */
async function aJob(jobId: string, at: number | null): Promise<void> {
  await stored().create({ jobId, kind: 'reread', program: null, request: {}, audit });
  await stored().lease({ owner, kinds: ['reread'], now });
  const turn = { cursor: null, progress: {}, lines: [{ n: 1 }, { n: 2 }], isDone: at !== null };
  expect(await stored().save({ jobId, owner, now: at ?? now, turn })).toBe(true);
}

const count = async (table: 'job_line' | 'job_item' | 'operator_action'): Promise<number> =>
  (await store.sql<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))[0]?.count ?? 0;

describe('jobs', () => {
  it('leave with what they found so long after they were over, and no other', async () => {
    await aJob('over', now);
    await aJob('goes on', null);
    await aJob('just over', retaining.at);
    const actions = await count('operator_action');
    expect(await retaining.run(never)).toMatchObject({ jobs: 0 });
    expect(await retaining.run(ofAll)).toMatchObject({ jobs: 1 });
    expect(await stored().find('over')).toBeNull();
    expect(await stored().find('goes on')).toMatchObject({ lines: 2 });
    expect(await stored().find('just over')).toMatchObject({ lines: 2 });
    expect(await count('job_line')).toBe(4);
    expect(await count('operator_action')).toBe(actions);
  });

  it('leave their ids behind, by which no other is ever asked for', async () => {
    await aJob('over', now);
    const again = { jobId: 'over', kind: 'reread', program: null, request: {}, audit } as const;
    expect(await stored().create(again)).toMatchObject({ jobId: 'over', state: 'done' });
    await retaining.run(ofAll);
    await expect(stored().create(again)).rejects.toMatchObject({ name: 'JobIdTakenError', known: null });
    await expect(stored().create({ ...again, program: 'tea-club' })).rejects.toMatchObject({ known: null });
    expect(await stored().find('over')).toBeNull();
  });

  it('leave actions that say of which program they were, whatever their id is used for', async () => {
    const job = await stored().create({
      jobId: 'j',
      kind: 'replay',
      program: 'tea-club',
      request: {},
      audit,
      isPlan: true,
    });
    await stored().steer({ job, steering: 'cancel', audit, role: 'admin' });
    // A copy of the database in which ids were not kept, say.
    await store.sql('DELETE FROM job');
    await stored().create({ jobId: 'j', kind: 'reread', program: 'coffee-club', request: {}, audit });
    const ofProgram = async (program: string): Promise<readonly string[]> => {
      const all = { actor: null, action: null, before: null, limit: 10 };
      const { items } = await new AuditRepository(store.database).list({ ...all, programs: [program] });
      return items.map(({ action }) => action);
    };
    expect(await ofProgram('tea-club')).toEqual(['replay.cancel', 'replay.plan']);
    expect(await ofProgram('coffee-club')).toEqual(['reread.start']);
  });

  it('stay while what they have seen at the partner is not cleared away', async () => {
    await aJob('over', now);
    await store.sql(`INSERT INTO reconciliation (job_id) VALUES ('over')`);
    expect(await retaining.run(ofAll)).toMatchObject({ jobs: 0 });
    await store.sql('DELETE FROM reconciliation');
    expect(await retaining.run(ofAll)).toMatchObject({ jobs: 1 });
  });
});

describe('replays', () => {
  it('leave with their items so long after they were over; dry runs that nobody started are cancelled', async () => {
    const replaying = new Replaying(store);
    await replaying.withParked(3);
    await replaying.create({ jobId: 'planned', isDryRun: true });
    await replaying.create({ jobId: 'cancelled', isDryRun: true });
    await stored().steer({
      job: { jobId: 'cancelled', kind: 'replay', program: null },
      steering: 'cancel',
      audit,
      role: 'admin',
    });
    expect(await retaining.run(ofAll)).toMatchObject({ jobs: 0 });
    // Counted once more: nothing of it moves any more.
    await new JobItemRepository(store.database).keepCounts('cancelled');
    expect(await retaining.run(never)).toMatchObject({ jobs: 0 });
    expect(await retaining.run(ofAll)).toMatchObject({ jobs: 1 });
    const states = 'SELECT job_id AS id, state FROM job ORDER BY 1';
    expect(await store.sql(states)).toEqual([{ id: 'planned', state: 'cancelled' }]);
    expect(await count('job_item')).toBe(3);
    expect(await store.sql(`SELECT DISTINCT state FROM job_item`)).toEqual([{ state: 'skipped' }]);
    const [last] = await store.sql('SELECT actor, action, reason FROM operator_action ORDER BY action_id DESC LIMIT 1');
    expect(last).toEqual({ actor: 'loyaltyd', action: 'replay.cancel', reason: 'planned long ago, and never started' });
  });
});
