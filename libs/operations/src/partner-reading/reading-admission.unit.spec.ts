import type { Database } from '#platform';
import { settle, VirtualClock } from '#test-support';

import type { Job } from '../jobs/job-repository.js';
import { ReadingAdmission, readingTurnMs } from './reading-admission.js';

const job = { jobId: 'j1' } as Job;

describe('the turn of a job that reads at the partner', () => {
  it('regression: ends at once where the process stops, and nothing is called any more', async () => {
    const clock = new VirtualClock();
    const stopping = new AbortController();
    const admission = new ReadingAdmission({ database: null as unknown as Database, clock, stopping: stopping.signal });
    expect(await admission.awaitTurn(job, 0.5, readingTurnMs)).toBe(true);
    const turns: boolean[] = [];
    void admission.awaitTurn(job, 0.5, readingTurnMs).then((mayCall) => turns.push(mayCall));
    await settle();
    expect(turns).toEqual([]);
    stopping.abort();
    await settle();
    expect(turns).toEqual([false]);
    await clock.advance(10_000);
    expect(await admission.awaitTurn(job, 0.5, readingTurnMs)).toBe(false);
  });
});
