import type { Database, SqlResult } from '#platform';

import type { Job, JobState } from '../jobs/job-repository.js';
import { JobItemRepository } from '../jobs/job-items.js';
import { JobRepository } from '../jobs/job-repository.js';
import { eventText, lastEventId, JobWatch } from './live-changes.js';

/** `counts` are kept once nothing moves any more. */
function replay(jobId: string, state: JobState = 'running', counts: Job['counts'] = null): Job {
  return {
    ...{ jobId, kind: 'replay', program: null, request: { query: {}, force: false }, reason: 'mended', state },
    ...{
      ratePerSecond: 1,
      isCanary: true,
      canary: { from: 0, settled: 0, failed: 0 },
      cursor: null,
      progress: {},
      report: null,
      error: null,
      failures: 0,
      lines: 0,
    },
    ...{ selection: { items: 9, members: 9, money: [], byForecast: { 'will-post': 9 } }, counts },
    ...{ createdAt: 0, createdBy: 'ada', finishedAt: null, needsRole: 'operator' },
    ...{ startedAt: 0, startedBy: 'ada', startReason: 'mended' },
  };
}

describe('watching jobs', () => {
  let watch: JobWatch;
  /** Delivered items of every replay. */
  let delivered: number;
  let counted: string[][];
  let found: Job[];

  beforeEach(() => {
    delivered = 0;
    counted = [];
    found = [];
    const execute = async ({ name }: { readonly name: string }, [first]: unknown[]): Promise<SqlResult<object>> => {
      const wanted = first as string[];
      const ended = found.filter(({ jobId }) => jobId === String(first));
      if (name === 'known_job') return { rows: ended, rowCount: ended.length };
      counted.push(wanted);
      const rows = wanted.map((jobId) => ({ jobId, state: 'delivered', items: delivered }));
      return { rows, rowCount: rows.length };
    };
    const database = { execute } as unknown as Database;
    watch = new JobWatch(new JobRepository(database), new JobItemRepository(database));
  });

  const look = async (...open: Job[]): Promise<[string, string, number | undefined][]> =>
    (await watch.look(open)).map(({ id, state, selection }) => [id, state, selection?.byState['delivered']]);

  it('tells one that is new, and again when its items have moved', async () => {
    expect(await look(replay('r'))).toEqual([['r', 'running', 0]]);
    expect(await look(replay('r'))).toEqual([]);
    delivered = 5;
    expect(await look(replay('r'))).toEqual([['r', 'running', 5]]);
    expect(watch.open).toMatchObject([{ id: 'r', selection: { byState: { delivered: 5 } } }]);
  });

  it('tells what of one that was paused still comes to its end, and counts nothing once its counts are kept', async () => {
    await look(replay('r'));
    expect(await look(replay('r', 'paused'))).toEqual([['r', 'paused', 0]]);
    delivered = 1;
    expect(await look(replay('r', 'paused'))).toEqual([['r', 'paused', 1]]);
    counted = [];
    const resting = replay('r', 'paused', { delivered: 1 });
    expect(await look(resting)).toEqual([]);
    expect(await look(resting)).toEqual([]);
    expect(counted).toEqual([]);
    expect(watch.open).toMatchObject([{ id: 'r', state: 'paused', selection: { byState: { delivered: 1 } } }]);
  });

  it('tells how one has ended, and then no more of it', async () => {
    await look(replay('r'), replay('s'));
    found = [replay('r', 'done')];
    expect(await look(replay('s'))).toEqual([['r', 'done', 0]]);
    expect(await look(replay('s'))).toEqual([]);
    expect(watch.open.map(({ id }) => id)).toEqual(['s']);
  });
});

describe('an event of the stream', () => {
  it('is written as Server-Sent Events are, whatever its data holds', () => {
    const text = eventText({ name: 'action', data: { reason: 'two\nlines\r\n\ndata: x' }, id: 7 });
    expect(text).toBe('event: action\nid: 7\ndata: {"reason":"two\\nlines\\r\\n\\ndata: x"}\n\n');
    expect(eventText({ name: 'pause', data: [] })).toBe('event: pause\ndata: []\n\n');
  });

  it.each([
    ['12', 12],
    ['0', 0],
    ['', null],
    ['-1', null],
    ['1e3', null],
    ['9'.repeat(16), null],
    [undefined, null],
    [['1', '2'], null],
  ])('%j names the last one: %j', (header, id) => {
    expect(lastEventId(header)).toBe(id);
  });
});
