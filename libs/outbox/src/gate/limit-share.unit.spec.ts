import fc from 'fast-check';

import type { SharedLimits } from './limit-share.js';
import { limitShare, sharePlace, TokenBucket, withoutLeased } from './limit-share.js';

const program = 'coffee-club';
/** How often a replica reports and learns its share. */
const refreshMs = 500;
const diesAfterMs = 8_000;

interface Replica {
  readonly replicaId: string;
  readonly worksFrom: number;
  readonly diesAt: number;
  readonly bucket: TokenBucket;
  since: number | null;
  /** What its last report told of. */
  told: number | null;
  nextReportAt: number;
}

/** Replicas that share a rate, each by itself between two reports; all have endless work from some time on. */
class ReplicaFleet {
  /** When tokens were taken, by all, in order. */
  readonly taken: number[] = [];
  private readonly replicas: Replica[];

  /** @param starts when each comes to work, ms; all but the first die some seconds later */
  constructor(
    private readonly rate: number,
    starts: readonly number[],
  ) {
    this.replicas = starts.map((worksFrom, index) => ({
      replicaId: `r${index}`,
      worksFrom,
      diesAt: index === 0 ? Infinity : worksFrom + diesAfterMs,
      bucket: new TokenBucket(0),
      since: null,
      told: null,
      nextReportAt: 1 + index * 37,
    }));
  }

  run(ms: number): this {
    for (let now = 1; now < ms; now += 1) {
      for (const replica of this.replicas) if (now < replica.diesAt) this.turn(replica, now);
    }
    return this;
  }

  private turn(self: Replica, now: number): void {
    const isAtWork = now >= self.worksFrom;
    const isNew = isAtWork && self.since === null;
    if (isNew) self.since = now;
    if (isNew || now >= self.nextReportAt) this.report(self, now);
    if (isAtWork) while (self.bucket.tryTake(now)) this.taken.push(now);
  }

  private report(self: Replica, now: number): void {
    self.nextReportAt = now + refreshMs;
    self.told = self.since;
    const others = this.replicas
      .filter((each) => each !== self && now < each.diesAt)
      .map(({ replicaId, told }) => ({ replicaId, programs: { [program]: told } }));
    const place = sharePlace(program, { replicaId: self.replicaId, since: self.told }, others);
    self.bucket.change(limitShare({ concurrency: null, requestsPerSecond: this.rate }, place).requestsPerSecond);
  }
}

function shares(limits: SharedLimits, count: number): ReturnType<typeof limitShare>[] {
  return Array.from({ length: count }, (_, rank) => limitShare(limits, { rank, count }));
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? NaN), 0);
}

describe('the shares of a limit', () => {
  it('add up to it, however many replicas there are', () => {
    const limits = fc.record({
      concurrency: fc.integer({ min: 1, max: 300 }),
      requestsPerSecond: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(0.1, 0.5, 2.5)),
    });
    const property = fc.property(limits, fc.integer({ min: 1, max: 40 }), (limit, count) => {
      const parts = shares(limit, count);
      expect(sum(parts.map(({ concurrency }) => concurrency))).toBe(limit.concurrency);
      expect(sum(parts.map((part) => part.requestsPerSecond))).toBeCloseTo(limit.requestsPerSecond, 6);
      for (const part of parts) expect(part.concurrency === 0).toBe(part.requestsPerSecond === 0);
    });
    fc.assert(property);
  });

  it('are whole calls: what cannot be divided goes to the first', () => {
    const limits = { concurrency: 2, requestsPerSecond: null };
    expect(shares(limits, 3).map(({ concurrency }) => concurrency)).toEqual([1, 1, 0]);
    expect(shares({ concurrency: 8, requestsPerSecond: null }, 3).map(({ concurrency }) => concurrency)).toEqual([
      3, 3, 2,
    ]);
  });

  it('leave a low rate to one: a token in every bucket would be a burst', () => {
    const limits = { concurrency: null, requestsPerSecond: 5 };
    expect(shares(limits, 3).map(({ requestsPerSecond }) => requestsPerSecond)).toEqual([5, 0, 0]);
  });

  it('leave a guest its rate', () => {
    const limits = { concurrency: 4, requestsPerSecond: 20 };
    const parts = Array.from({ length: 2 }, (_, rank) => limitShare(withoutLeased(limits, 2), { rank, count: 2 }));
    expect(sum(parts.map(({ requestsPerSecond }) => requestsPerSecond))).toBe(18);
    expect(sum(parts.map(({ concurrency }) => concurrency))).toBe(4);
    expect(withoutLeased({ concurrency: 4, requestsPerSecond: null }, 2).requestsPerSecond).toBeNull();
  });

  it('are no shares where there is no limit', () => {
    const limits = { concurrency: null, requestsPerSecond: null };
    expect(limitShare(limits, { rank: 2, count: 3 })).toEqual(limits);
  });
});

describe('the place of a replica', () => {
  const other = (replicaId: string, since: number | null) => ({
    replicaId,
    programs: { [program]: since },
  });

  it('is counted among those at work, the older ones first', () => {
    const others = [other('a', 30), other('b', null), other('c', 10)];
    expect(sharePlace(program, { replicaId: 'x', since: 20 }, others)).toEqual({ rank: 1, count: 3 });
  });

  it('is the last among all who are alive as long as it is not at work itself', () => {
    const others = [other('z', 30), other('b', null), other('y', null)];
    expect(sharePlace(program, { replicaId: 'm', since: null }, others)).toEqual({ rank: 2, count: 4 });
  });

  it('is not kept for a replica that does not know the program', () => {
    const stranger = { replicaId: 'a', programs: { 'another-club': 5 } };
    expect(sharePlace(program, { replicaId: 'x', since: null }, [stranger])).toEqual({ rank: 0, count: 1 });
  });

  it('is never the same for two that see each other', () => {
    const replicas = ['a', 'b', 'c', 'd'].map((id, index) => ({ replicaId: id, since: index < 2 ? 7 : null }));
    const ranks = replicas.map((self) => {
      const others = replicas.filter((each) => each !== self).map(({ replicaId, since }) => other(replicaId, since));
      return sharePlace(program, self, others);
    });
    expect(ranks.slice(0, 2).map(({ rank }) => rank)).toEqual([0, 1]);
    expect(ranks.slice(2).map(({ rank }) => rank)).toEqual([2, 3]);
  });
});

describe('a rate that replicas share, each by itself between two reports', () => {
  /** Most tokens taken within one second, and when it began. */
  function busiest(times: readonly number[], counts: (from: number) => boolean): number {
    let end = 0;
    let most = 0;
    for (const [index, from] of times.entries()) {
      while ((times[end] ?? Infinity) < from + 1_000) end += 1;
      if (counts(from)) most = Math.max(most, end - index);
    }
    return most;
  }

  it('is exceeded by at most what one refresh interval holds, while others come to work; never otherwise', () => {
    const starts = fc.array(fc.integer({ min: 1_000, max: 9_000 }), { minLength: 2, maxLength: 4 });
    const property = fc.property(starts, fc.constantFrom(20, 50, 200), (joins, rate) => {
      const { taken } = new ReplicaFleet(rate, [1, ...joins]).run(20_000);
      const isNearJoin = (from: number): boolean =>
        joins.some((start) => start < from + 1_000 && start > from - refreshMs);
      const burst = Math.max(1, rate / 10);
      expect(busiest(taken, (from) => !isNearJoin(from))).toBeLessThanOrEqual(rate + burst + 1);
      expect(busiest(taken, isNearJoin)).toBeLessThanOrEqual(rate + burst + 1 + (rate * refreshMs) / 1_000);
      expect(taken.length).toBeGreaterThanOrEqual(rate * 19 * 0.75);
    });
    fc.assert(property, { numRuns: 20 });
  });
});
