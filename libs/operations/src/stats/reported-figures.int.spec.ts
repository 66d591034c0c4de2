import { statsViewSchema } from '#contracts';
import type { ProcessFigures, ProcessReport } from '#intents';
import { callBucket, noFigures, ProcessRepository } from '#intents';
import type { TestStore } from '#intents/testing';
import { now, program, SettableClock, testStore } from '#intents/testing';

import { overviewsOf } from '../testing/ports.js';
import { toStatsView } from './stats-view.js';
import { StatsService } from './stats-service.js';

let store: TestStore;
let clock: SettableClock;

beforeEach(async () => {
  store = await testStore(4);
  clock = new SettableClock(now);
});

afterEach(() => store.close());

const idOf = (number: number): string => `0000000${number}-0000-4000-8000-000000000000`;

async function report(number: number, role: string, figures: ProcessFigures | null, at = now): Promise<void> {
  const process: ProcessReport = {
    ...{ processId: idOf(number), host: `pod-${number}`, roles: [role], startedAt: now, keyIds: [], figures },
    ...{ programs: { hash: 'aa01', since: now }, programsProblem: null },
  };
  await new ProcessRepository(store.database).report(process, at);
}

/** As the process with the role operations answers, which delivers and takes in nothing. */
async function stats(limit: readonly string[] | null = null) {
  const service = new StatsService(overviewsOf(store.database), clock);
  service.watch({ processId: idOf(9) });
  return statsViewSchema.parse(toStatsView(await service.current(), limit));
}

const gate = {
  limit: 8,
  inUse: 2,
  breaker: 'closed',
  since: null,
  openedAt: null,
  reachedAt: now,
  cooldownUntil: null,
} as const;
const delivering = (durationMs: number, more: object = {}): ProcessFigures => ({
  partner: { [program]: { ...gate, calls: { [callBucket(durationMs)]: 10 }, ...more } },
  lag: null,
});

describe('what all processes tell, answered by one that delivers nothing', () => {
  it('is of all that are alive: latency, limit and breaker of each program, and the lag', async () => {
    await report(1, 'delivery', delivering(20));
    await report(2, 'delivery', delivering(900, { breaker: 'open', since: now - 9_000, openedAt: now }));
    await report(3, 'ingest', { partner: {}, lag: { purchases: { records: 70, oldestAt: now - 40_000 } } });
    await report(4, 'ingest', { partner: {}, lag: { purchases: { records: 5, oldestAt: null } } });
    await report(9, 'operations', noFigures);
    clock.at = now + 1_000;
    const { partner, lag, figures } = await stats();
    expect(partner).toEqual([
      {
        ...{ program, processes: 2, limit: 16, inUse: 4, breaker: 'open', resting: 1, calls: 20 },
        ...{ since: new Date(now - 9_000).toISOString(), cooldownUntil: null },
        latencyMs: { p50: expect.closeTo(20, -1) as number, p95: expect.closeTo(900, -3) as number },
      },
    ]);
    expect(lag).toEqual({
      ...{ records: 75, oldestSeconds: 41 },
      topics: [{ topic: 'purchases', records: 75, oldestSeconds: 41 }],
    });
    expect(figures).toEqual({ processes: 5, silent: 0, ageSeconds: 1 });
  });

  it('is null where nobody tells: a process of the version before is silent, one that went says nothing any more', async () => {
    await report(1, 'delivery', delivering(20));
    await report(2, 'ingest', null, now + 15_000);
    clock.at = now + 15_000;
    expect(await stats()).toMatchObject({
      ...{ partner: [], lag: null },
      figures: { processes: 0, silent: 1, ageSeconds: null },
    });
  });

  it('regression: is not a lag of nothing where nobody reads any partition', async () => {
    await report(3, 'ingest', { partner: {}, lag: {} });
    expect(await stats()).toMatchObject({ lag: null, figures: { processes: 1 } });
  });

  it('is for a token that is limited to programs of these alone', async () => {
    await report(1, 'delivery', delivering(20));
    await report(3, 'ingest', { partner: {}, lag: { purchases: { records: 70, oldestAt: null } } });
    expect(await stats(['tea-club'])).toMatchObject({ partner: [], lag: null });
    expect(await stats([program])).toMatchObject({ partner: [{ program }], lag: null });
  });
});
