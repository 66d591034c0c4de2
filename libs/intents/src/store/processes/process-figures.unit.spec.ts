import { callBucket, callBucketsMax, callQuantile, countCalls, latencyOf, sumCalls } from './call-counts.js';
import type { PartnerFigures } from './process-figures.js';
import { lagOf, partnersOf, resting, sumPartner } from './process-figures.js';

const countsOf = (...durationsMs: readonly number[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const ms of durationsMs) counts[String(callBucket(ms))] = (counts[String(callBucket(ms))] ?? 0) + 1;
  return counts;
};

describe('calls by how long they took', () => {
  it('are told to 10 %, from a millisecond to two minutes', () => {
    for (let ms = 1; ms < 120_000; ms = Math.ceil(ms * 1.07)) {
      const told = callQuantile(countsOf(ms), 0.5) ?? 0;
      expect(Math.abs(told - ms)).toBeLessThanOrEqual(Math.max(1, ms * 0.1));
    }
  });

  it('have a bucket however long they took', () => {
    expect([0, -1, 1, 1e12].map(callBucket)).toEqual([0, 0, 0, callBucketsMax - 1]);
  });

  it('of many processes are as if one had made them: medians of medians would not be', () => {
    const quick = countsOf(...Array.from({ length: 990 }, () => 10));
    const slow = countsOf(...Array.from({ length: 60 }, () => 2_000));
    const all = sumCalls([quick, slow]);
    expect(countCalls(all)).toBe(1_050);
    expect(latencyOf(all)).toEqual({ p50: latencyOf(quick)?.p50, p95: latencyOf(slow)?.p50 });
    expect(latencyOf({})).toBeNull();
  });
});

const closed: PartnerFigures = {
  ...{ calls: countsOf(10), limit: 8, inUse: 3, breaker: 'closed' },
  ...{ since: null, openedAt: null, reachedAt: 900, cooldownUntil: null },
};
const open: PartnerFigures = { ...closed, limit: 1, inUse: 0, breaker: 'open', since: 400, openedAt: 1_000 };

describe('what processes tell of the partner', () => {
  it('adds up, and the worst breaker counts', () => {
    const calls = sumCalls([closed.calls, open.calls]);
    expect(sumPartner([closed, { ...open, cooldownUntil: 5_000 }])).toEqual({
      ...{ calls, limit: 9, inUse: 3, breaker: 'open', since: 400, openedAt: 1_000 },
      ...{ reachedAt: 900, cooldownUntil: 5_000 },
    });
  });

  it('a half-open breaker with nothing to try says nothing once another process has reached the partner', () => {
    const idle: PartnerFigures = { ...open, breaker: 'probing' };
    expect(sumPartner([closed, idle])).toMatchObject({ breaker: 'probing', since: 400 });
    expect(resting([closed, idle])).toHaveLength(1);
    const back = { ...closed, reachedAt: 1_001 };
    expect(sumPartner([back, idle])).toMatchObject({ breaker: 'closed', since: null, openedAt: null });
    // One that is open found that out itself, or heard of it: it is not outvoted.
    expect(sumPartner([back, open])).toMatchObject({ breaker: 'open' });
  });

  it('is told by program', () => {
    const told = (partner: PartnerFigures) => ({ partner: { tea: partner }, lag: null });
    expect([...partnersOf([closed, open].map(told))]).toEqual([['tea', [closed, open]]]);
  });
});

describe('what processes tell of Kafka', () => {
  it('adds up by topic, as old as the oldest; null where nobody knows', () => {
    const partner = {};
    const one = { partner, lag: { p: { records: 3, oldestAt: 500 }, m: { records: 0, oldestAt: null } } };
    const other = { partner, lag: { p: { records: 4, oldestAt: 200 } } };
    expect(lagOf([one, other, { partner, lag: null }])).toEqual({
      p: { records: 7, oldestAt: 200 },
      m: { records: 0, oldestAt: null },
    });
    expect(lagOf([{ partner, lag: null }])).toBeNull();
  });
});
