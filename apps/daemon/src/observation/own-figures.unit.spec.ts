import type { AttemptObservation } from '#outbox';
import { callBucket, countCalls, latencyOf } from '#intents';

import { CallTally } from './call-tally.js';
import { ConsumerLag, endsAgeMsMax, looksMax } from './consumer-lag.js';
import { callsToldMs, PartnerCalls } from './partner-calls.js';

const attempt = (program: string, durationMs: number, code = 'applied'): AttemptObservation => ({
  ...{ kind: 'attempt', program, memberId: 'm', laneId: 1, seq: 1, attempt: 1, operation: 'transaction' },
  ...{ outcome: 'applied', code, phase: 'done' as never, httpStatus: 200, durationMs, sinceBrokerMs: 1 },
  ...{ status: 'delivered', retryAt: null, shapeAlarms: [], resolution: null },
});

describe('the calls of the last minute', () => {
  it('are told by program, without attempts that called nobody, and forgotten', () => {
    const calls = new PartnerCalls();
    calls.observe(attempt('tea', 100), 0);
    calls.observe(attempt('tea', 100), callsToldMs - 1);
    calls.observe(attempt('coffee', 50), callsToldMs - 1);
    calls.observe(attempt('coffee', 0, 'no-token'), callsToldMs - 1);
    const told = calls.countsAt(callsToldMs - 1);
    expect([...told].map(([program, counts]) => [program, countCalls(counts)])).toEqual([
      ['tea', 2],
      ['coffee', 1],
    ]);
    expect(latencyOf(told.get('coffee') ?? {})?.p50).toBeGreaterThan(45);
    expect(countCalls(calls.countsAt(callsToldMs + 5_000).get('tea') ?? {})).toBe(1);
    expect(calls.countsAt(3 * callsToldMs).size).toBe(0);
  });

  it('take no more room the more there are', () => {
    const calls = new PartnerCalls();
    const sizes = [1, 5].map((hours) => {
      for (let at = 0; at < hours * 600_000; at += 7) calls.observe(attempt('tea', at % 3_000), at);
      return JSON.stringify(
        [...(calls as unknown as { byProgram: Map<string, unknown[]> }).byProgram.values()].flat().length,
      );
    });
    expect(sizes).toEqual(['13', '13']);
  });
});

describe('the calls of each minute', () => {
  it('are told by program, once, in the minute in which they ended; attempts that called nobody are none', () => {
    const tally = new CallTally();
    const minute = 1_700_000_040_000;
    tally.observe(attempt('tea', 100), minute - 1);
    tally.observe(attempt('tea', 100), minute);
    tally.observe(attempt('tea', 100), minute + 59_999);
    tally.observe(attempt('coffee', 7), minute);
    tally.observe(attempt('coffee', 0, 'no-token'), minute);
    expect(tally.take()).toEqual([
      { at: minute - 60_000, program: 'tea', calls: { [callBucket(100)]: 1 } },
      { at: minute, program: 'tea', calls: { [callBucket(100)]: 2 } },
      { at: minute, program: 'coffee', calls: { [callBucket(7)]: 1 } },
    ]);
    expect(tally.take()).toEqual([]);
  });
});

describe('how far behind Kafka we are', () => {
  const at = (nextOffset: number) => [{ topic: 'p', partition: 0, nextOffset }];
  const look = (lag: ConsumerLag, end: number, now: number): void => {
    lag.looked([{ topic: 'p', partition: 0, end }], now);
  };

  it('is nothing at the end; what came since is no older than the look that saw it gone', () => {
    const lag = new ConsumerLag();
    expect(lag.figuresAt(0, at(10))).toBeNull();
    look(lag, 10, 1_000);
    expect(lag.figuresAt(1_500, at(10))).toEqual({ p: { records: 0, oldestAt: null } });
    look(lag, 15, 2_000);
    look(lag, 30, 3_000);
    expect(lag.figuresAt(3_500, at(10))).toEqual({ p: { records: 20, oldestAt: 1_000 } });
    expect(lag.figuresAt(3_500, at(16))).toEqual({ p: { records: 14, oldestAt: 2_000 } });
    expect(lag.figuresAt(3_500, at(40))).toEqual({ p: { records: 0, oldestAt: null } });
  });

  it('is of unknown age where it was there before us, not known where nobody has looked lately, and not of others', () => {
    const lag = new ConsumerLag();
    look(lag, 50, 1_000);
    expect(lag.figuresAt(1_000, at(10))).toEqual({ p: { records: 40, oldestAt: null } });
    expect(lag.figuresAt(1_000, [])).toEqual({});
    expect(lag.figuresAt(1_001 + endsAgeMsMax, at(10))).toBeNull();
  });

  it('regression: is not told as nothing while one of our partitions was never looked at', () => {
    const lag = new ConsumerLag();
    lag.looked([], 500);
    expect(lag.figuresAt(1_000, at(10))).toBeNull();
    look(lag, 50, 1_000);
    const [ours] = at(10);
    const another = { topic: 'p', partition: 1, nextOffset: 0 };
    expect(lag.figuresAt(1_000, [ours!, another])).toBeNull();
    expect(lag.figuresAt(1_000, at(10))).toMatchObject({ p: { records: 40 } });
  });

  it('keeps a bounded number of looks however long a partition stands still, and its age all the same', () => {
    const lag = new ConsumerLag();
    for (let now = 0; now < 5_000; now += 1) look(lag, 10 + now, now);
    expect(lag.figuresAt(5_000, at(10))).toEqual({ p: { records: 4_999, oldestAt: 0 } });
    const [looks] = (lag as unknown as { looks: Map<string, unknown[]> }).looks.values();
    expect(looks?.length).toBeLessThanOrEqual(looksMax);
  });
});
