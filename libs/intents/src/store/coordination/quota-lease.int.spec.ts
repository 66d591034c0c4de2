import { now, program } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { PauseRepository } from './pauses.js';
import { reportReplica } from './replicas.js';
import type { QuotaLease } from './quota-lease.js';
import { releaseQuota, reportCooldown, quotaLeaseMs, acquireQuota } from './quota-lease.js';

let store: TestStore;
let pauses: PauseRepository;

beforeEach(async () => {
  store = await testStore(4);
  pauses = new PauseRepository(store.database);
});

afterEach(() => store.close());

const acquire = (job: string, at = now, ratePerSecond = 2): Promise<QuotaLease | null> =>
  acquireQuota(store.database, { program, job, ratePerSecond, now: at });

/** What a delivering process is told. */
async function told(at = now): Promise<unknown> {
  const report = { replicaId: '00000000-0000-4000-8000-000000000001', startedAt: now, programs: {}, gates: [] };
  return (await reportReplica(store.database, report, at)).gates;
}

describe('a guest at a program', () => {
  it('is one at a time, until it leaves or stays away', async () => {
    expect(await acquire('j1')).toEqual({ since: now, closedUntil: null, isPaused: false });
    expect(await acquire('j2')).toBeNull();
    expect(await acquire('j1', now + 1_000)).toMatchObject({ since: now });
    await releaseQuota(store.database, { program, job: 'j2' });
    expect(await acquire('j2', now + 1_000)).toBeNull();
    await releaseQuota(store.database, { program, job: 'j1' });
    expect(await acquire('j2', now + 2_000)).toMatchObject({ since: now + 2_000 });
    expect(await acquire('j1', now + 2_000 + quotaLeaseMs + 1)).toMatchObject({
      since: now + 2_000 + quotaLeaseMs + 1,
    });
  });

  it('begins anew when it wants more: nobody can have heard of that yet', async () => {
    await acquire('j1');
    expect(await acquire('j1', now + 1_000, 5)).toMatchObject({ since: now + 1_000 });
  });

  it('is told to delivery with its rate, as long as it is there', async () => {
    await acquire('j1', now, 0.5);
    expect(await told()).toMatchObject([{ program, leasedRate: 0.5 }]);
    expect(await told(now + quotaLeaseMs + 1)).toEqual([]);
  });

  it('hears of the rest that the partner wants, and tells it to everybody', async () => {
    await reportCooldown(store.database, program, now + 9_000);
    await reportCooldown(store.database, program, now + 4_000);
    expect(await acquire('j1')).toMatchObject({ closedUntil: now + 9_000 });
    expect(await told()).toMatchObject([{ program, cooldownUntil: now + 9_000 }]);
  });

  it('hears of a pause of the whole program, not of one of an operation', async () => {
    const pause = { by: 'ada', reason: 'spec', automatic: false, now };
    await pauses.set({ program, operation: 'transaction', ...pause });
    expect(await acquire('j1')).toMatchObject({ isPaused: false });
    await pauses.set({ program: null, operation: null, ...pause });
    expect(await acquire('j1')).toMatchObject({ isPaused: true });
  });
});
