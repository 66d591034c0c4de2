import type { IntentCount } from '#intents';
import { settle, VirtualClock } from '#test-support';

import type { Overview, OverviewRepository } from './overview.js';
import {
  overviewAgeMsMax,
  overviewDutyFactor,
  overviewFreshMs,
  overviewWaitMs,
  rateSpanMsMin,
  RateWindow,
  rateWindowMs,
  StatsService,
} from './stats-service.js';

describe('the board of stats', () => {
  let clock: VirtualClock;
  let service: StatsService;
  /** How often everything was read. */
  let reads: number;
  /** How long a reading takes; null: it does not end by itself. */
  let takesMs: number | null;
  let fails: boolean;

  beforeEach(() => {
    clock = new VirtualClock();
    reads = 0;
    takesMs = 0;
    fails = false;
    const read = async (at: number): Promise<Overview> => {
      reads += 1;
      if (takesMs === null) await new Promise(() => undefined);
      else if (takesMs > 0) await clock.sleep(takesMs);
      if (fails) throw new Error('away');
      return { at, intents: [] } as unknown as Overview;
    };
    service = new StatsService({ read } as unknown as OverviewRepository, clock);
  });

  it('reads once for all who ask within a second', async () => {
    const [one, other] = await Promise.all([service.current(), service.current()]);
    expect(one).toBe(other);
    await clock.advance(overviewFreshMs - 1);
    expect(await service.current()).toBe(one);
    expect(reads).toBe(1);
    await clock.advance(1);
    expect(await service.current()).not.toBe(one);
    expect(reads).toBe(2);
  });

  it('reads the less often the longer it takes', async () => {
    takesMs = 500;
    const first = service.current();
    await clock.advance(500);
    await first;
    await clock.advance(overviewDutyFactor * 500 - 1);
    await service.current();
    expect(reads).toBe(1);
  });

  it('shows what it read last while reading takes long, unless that is too old', async () => {
    const first = await service.current();
    takesMs = null;
    await clock.advance(overviewFreshMs);
    const second = service.current();
    await clock.advance(overviewWaitMs);
    expect(await second).toBe(first);
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(overviewAgeMsMax);
    let isShown = false;
    void service.current().then(() => (isShown = true));
    await clock.advance(overviewWaitMs);
    expect(isShown).toBe(false);
    expect(reads).toBe(2);
  });

  it('says so when it cannot read, and tries again', async () => {
    await service.current();
    await clock.advance(overviewFreshMs);
    fails = true;
    await expect(service.current()).rejects.toThrow('away');
    fails = false;
    await expect(service.current()).resolves.toBeDefined();
  });

  it('is not brought down by a failure that nobody waits for any more', async () => {
    await service.current();
    takesMs = 5_000;
    fails = true;
    await clock.advance(overviewFreshMs);
    const shown = service.current();
    await clock.advance(overviewWaitMs);
    await expect(shown).resolves.toBeDefined();
    await clock.advance(takesMs);
    await settle();
  });

  it('tells which process answers', async () => {
    const self = { processId: 'p' };
    service.watch(self);
    expect((await service.current()).self).toBe(self);
  });
});

function counts(recorded: number, delivered: number, operation: IntentCount['operation'] = 'transaction'): IntentCount {
  const byStatus = { waiting: 0, pending: recorded - delivered, unknown: 0, delivered, parked: 0, cancelled: 0 };
  return { program: 'tea', operation, recorded, byStatus };
}

describe('rates', () => {
  it('are the difference of two looks, summed over the operations of a program', () => {
    const window = new RateWindow();
    window.add(0, [counts(100, 50), counts(10, 0, 'issue')]);
    window.add(10_000, [counts(200, 70), counts(30, 30, 'issue')]);
    expect(window.rates()).toEqual([{ program: 'tea', recordedPerSecond: 12, settledPerSecond: 5 }]);
  });

  it('look back so far and no further', () => {
    const window = new RateWindow();
    window.add(0, [counts(0, 0)]);
    window.add(rateWindowMs, [counts(30, 0)]);
    expect(window.rates()).toMatchObject([{ recordedPerSecond: 1 }]);
    window.add(2 * rateWindowMs, [counts(30, 0)]);
    expect(window.rates()).toMatchObject([{ recordedPerSecond: 0 }]);
  });

  it('are not told from one look, nor from two at about the same time', () => {
    const window = new RateWindow();
    expect(window.rates()).toEqual([]);
    window.add(0, [counts(1, 1)]);
    window.add(rateSpanMsMin - 1, [counts(9, 9)]);
    expect(window.rates()).toEqual([]);
  });

  it('begin at nothing for a program that is new, and never run backwards', () => {
    const window = new RateWindow();
    window.add(0, [counts(10, 10), { ...counts(10, 10), program: 'coffee' }]);
    window.add(1_000, [counts(0, 0), { ...counts(20, 10), program: 'coffee' }, { ...counts(5, 0), program: 'new' }]);
    expect(window.rates()).toEqual([
      { program: 'tea', recordedPerSecond: 0, settledPerSecond: 0 },
      { program: 'coffee', recordedPerSecond: 10, settledPerSecond: 0 },
      { program: 'new', recordedPerSecond: 5, settledPerSecond: 0 },
    ]);
  });
});
