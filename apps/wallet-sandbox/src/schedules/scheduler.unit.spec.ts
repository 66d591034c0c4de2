import type { Database } from '#platform';
import { chooseWording } from '../contract/wordings.js';
import { Catalogue } from '../seed/catalogue.js';
import { defaultSeed, parseSeed } from '../seed/load-seed.js';
import { Scheduler } from './scheduler.js';

const start = Date.UTC(2026, 10, 21, 9);
const yearMs = 31_536_000_000;

/** A database that knows only when the next schedule is due, and what has been asked of it. */
class DueTimes implements Database {
  next: number | Error | null = null;
  questions = 0;
  slices = 0;
  gate: Promise<undefined> | null = null;

  async execute(): Promise<{ rows: never[]; rowCount: number }> {
    this.questions += 1;
    if (this.next instanceof Error) throw this.next;
    const rows = (this.next === null ? [] : [{ dueAt: this.next }]) as never[];
    return { rows, rowCount: rows.length };
  }

  /** The slice of a schedule that has only one. */
  async transaction<T>(): Promise<T> {
    this.slices += 1;
    this.next = null;
    await this.gate;
    return undefined as T;
  }
}

function startScheduler(next: DueTimes['next']): { database: DueTimes; scheduler: Scheduler } {
  const database = new DueTimes();
  database.next = next;
  const scheduler = new Scheduler(database, new Catalogue(parseSeed(defaultSeed)), chooseWording(0));
  scheduler.onApplicationBootstrap();
  return { database, scheduler };
}

beforeEach(() => {
  jest.useFakeTimers({ now: start });
});
afterEach(() => {
  jest.useRealTimers();
});

const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

it('applies at its start what has become due while nobody was there', async () => {
  const { database } = startScheduler(start - yearMs);
  await pass(0);
  expect(database.slices).toBe(1);
});

it('sleeps until the next is due', async () => {
  const { database } = startScheduler(start + 30_000);
  await pass(29_999);
  expect([database.questions, database.slices]).toEqual([1, 0]);
  await pass(1);
  expect(database.slices).toBe(1);
});

it('waits longer than a timer can, asking once a minute', async () => {
  const { database } = startScheduler(start + yearMs);
  await pass(600_000);
  expect([database.questions, database.slices]).toEqual([11, 0]);
  expect(jest.getTimerCount()).toBe(1);
});

it('wakes earlier for a nearer schedule, and not for a later one', async () => {
  const { database, scheduler } = startScheduler(start + 30_000);
  await pass(0);
  scheduler.expect(start + 40_000);
  await pass(0);
  expect(database.questions).toBe(1);
  database.next = start + 5_000;
  scheduler.expect(start + 5_000);
  await pass(5_000);
  expect(database.slices).toBe(1);
  expect(jest.getTimerCount()).toBe(1);
});

it('does not miss a schedule that is accepted while it asks', async () => {
  const { database, scheduler } = startScheduler(null);
  scheduler.expect(start + 10);
  database.next = start + 10;
  await pass(10);
  expect(database.slices).toBe(1);
});

it('tries again when the database was away', async () => {
  const { database } = startScheduler(new Error('away'));
  const log = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  await pass(999);
  database.next = start;
  await pass(1);
  expect([database.questions >= 2, database.slices]).toEqual([true, 1]);
  expect(log).toHaveBeenCalledTimes(1);
  log.mockRestore();
});

it('leaves no timer behind when it stops, and takes no more work', async () => {
  const { database, scheduler } = startScheduler(start + 30_000);
  await pass(0);
  await scheduler.onModuleDestroy();
  scheduler.expect(start);
  await pass(60_000);
  expect([jest.getTimerCount(), database.questions, database.slices]).toEqual([0, 1, 0]);
});

it('a stop waits for the slice at hand', async () => {
  const { database, scheduler } = startScheduler(start);
  const { promise, resolve: finishSlice } = Promise.withResolvers<undefined>();
  database.gate = promise;
  await pass(0);
  const events: string[] = [];
  const stopped = scheduler.onModuleDestroy().then(() => events.push('stopped'));
  await pass(0);
  events.push('slice');
  finishSlice(undefined);
  await stopped;
  expect([events, database.slices, jest.getTimerCount()]).toEqual([['slice', 'stopped'], 1, 0]);
});
