import { Registry } from 'prom-client';

import { waitUntil } from '#embedded';
import { sumFigures } from '#intents';
import { sharedDecompression } from '#ingest';
import type { Logger } from '#platform';
import { LocalWake, SystemClock } from '#platform';

import { mergedMetrics } from '../metrics/merged-metrics.js';
import { unansweredMax, WorkerEndedError, WorkerPool, WorkerThread } from './worker-pool.js';

const file = new URL('testing/planted-worker.ts', import.meta.url);
const patient = { timeoutMs: 30_000 };

describe('the workers of a process', () => {
  let lines: object[];
  let tellPrograms: (text: string) => void;
  let registry: Registry;
  const log = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const logger: Logger = { debug: log, info: log, warn: log, error: log };

  beforeEach(() => {
    lines = [];
    registry = new Registry();
  });

  const open = (programsText = ''): WorkerPool => {
    const live = { whole: { workers: 2 }, variables: {}, texts: new Map(), whenAdopted: () => undefined };
    const whenTakenOver = (listener: typeof tellPrograms): void => void (tellPrograms = listener);
    const programs = { current: { text: programsText }, whenTakenOver };
    const platform = { logger, wake: new LocalWake(), metrics: { registry } };
    return new WorkerPool({ live, programs, dialectFile: null } as never, platform as never, file);
  };
  const drain = async (pool: WorkerPool): Promise<void> => {
    pool.onModuleDestroy();
    await pool.beforeApplicationShutdown();
  };

  it('start, are asked how they are, and drain', async () => {
    const pool = open();
    await pool.onApplicationBootstrap();
    await waitUntil(() => pool.problems.length === 2, { what: 'answers', ...patient });
    expect(pool.problems).toEqual(['worker 1: planted 1', 'worker 2: planted 2']);
    expect(sumFigures(pool.figures)).toMatchObject({ lag: { purchases: { records: 3 } } });
    await drain(pool);
    expect(lines).toEqual([]);
  }, 60_000);

  it('are told as one, also when they have ended', async () => {
    const pool = open();
    await pool.onApplicationBootstrap();
    const text = async (): Promise<string> =>
      mergedMetrics([await registry.getMetricsAsJSON(), ...(await pool.scrape())]);
    expect(await text()).toContain('planted_total 3\n');
    expect((await text()).match(/^loyaltyd_worker_busy_ratio\{worker="\w+"\}/gm)).toHaveLength(3);
    await drain(pool);
    expect(await text()).toContain('planted_total 3\n');
  }, 60_000);

  it('of which one ends by a defect are broken, and say so; the other drains', async () => {
    const pool = open();
    await pool.onApplicationBootstrap();
    tellPrograms('defect 2');
    await pool.broken;
    expect(lines).toMatchObject([
      { worker: 2, error: 'TypeError', message: 'a worker broke' },
      { worker: 2, code: 1 },
    ]);
    expect(JSON.stringify(lines)).not.toContain('ada@example.org');
    await expect(drain(pool)).rejects.toThrow(new WorkerEndedError('1 of 2 workers did not drain'));
  }, 60_000);

  it('of which one cannot start keep the process from starting', async () => {
    const pool = open('defect 1');
    await expect(pool.onApplicationBootstrap()).rejects.toThrow(new WorkerEndedError('worker 1 has ended'));
    await expect(drain(pool)).rejects.toThrow('workers did not drain');
  }, 60_000);

  it('of which one is stuck are found out by its silence; when it has ended, nobody waits for its turn', async () => {
    const decompression = sharedDecompression(2);
    const holder = new Int32Array(decompression.memory).fill(1);
    const stuck = new WorkerThread(1, { logger, clock: new SystemClock(), file, decompression });
    const start = stuck.start({ variables: {}, texts: new Map(), dialectFile: null, programsText: 'stuck 1' });
    for (let asked = 0; asked <= unansweredMax; asked += 1) {
      expect(stuck.problems).toEqual([]);
      stuck.check();
    }
    expect(stuck.problems).toEqual(['worker 1: its event loop does not turn']);
    await Promise.all([stuck.terminate(), expect(start).rejects.toThrow('worker 1 has ended')]);
    expect(holder[0]).toBe(0);
  }, 60_000);
});
