import { atRisk, byProgram, oldestOf, rateText, slowestOf } from './figures.js';
import {
  calmText,
  finishedOf,
  flowOf,
  isBlank,
  isUnknown,
  lagOf,
  latencyOf,
  rangeOf,
  type SeriesPoint,
  stepText,
  stoodOf,
} from './over-time.js';
import type { Stats } from './problem.js';

const stats: Stats = {
  at: '2026-11-27T03:00:30.000Z',
  intents: [
    { program: 'tea', operation: 'reward', status: 'parked', intents: 2 },
    { program: 'coffee', operation: 'transaction', status: 'pending', intents: 5 },
    { program: 'coffee', operation: 'reward', status: 'delivering', intents: 1 },
    { program: 'coffee', operation: 'reward', status: 'delivered', intents: 700 },
  ],
  oldestPending: [
    { program: 'tea', since: '2026-11-27T02:59:00.000Z', seconds: 90, isPart: false },
    { program: 'coffee', since: '2026-11-27T02:00:00.000Z', seconds: 3_630, isPart: false },
  ],
  rates: [
    { program: 'coffee', recordedPerSecond: 2, settledPerSecond: 20.1 },
    { program: 'tea', recordedPerSecond: 0.05, settledPerSecond: 0 },
  ],
  blockedLanes: [],
  quarantine: [],
  valueAtRisk: [
    { program: 'tea', currency: 'EUR', minor: 1_001, digits: 3, intents: 2 },
    { program: 'coffee', currency: 'EUR', minor: 250, digits: 2, intents: 1 },
    { program: 'coffee', currency: 'CHF', minor: 900, digits: 2, intents: 1 },
  ],
  pauses: [],
  jobs: [],
  processes: [],
  partner: [
    {
      ...{ program: 'coffee', limit: 8, breaker: 'closed', processes: 1, resting: 0, inUse: 0, calls: 0 },
      ...{ since: null, cooldownUntil: null, latencyMs: null },
    },
  ],
  lag: null,
  figures: { processes: 1, silent: 0, ageSeconds: 1 },
  recovery: null,
  countedUntil: { lagSeconds: 0 },
};

it('tells rates of all and of one program', () => {
  expect(rateText(stats, 'settledPerSecond')).toBe('1,206');
  expect(rateText(stats, 'recordedPerSecond', 'tea')).toBe('3.0');
  expect(rateText(stats, 'settledPerSecond', 'tea')).toBe('0');
  expect(rateText({ ...stats, rates: [] }, 'settledPerSecond')).toBeNull();
});

it('sums what is at risk, and finds the oldest', () => {
  expect(atRisk(stats)).toEqual([
    { currency: 'CHF', minor: 900, digits: 2 },
    { currency: 'EUR', minor: 3_501, digits: 3 },
  ]);
  expect(oldestOf(stats)?.program).toBe('coffee');
});

it('tells program by program', () => {
  expect(
    byProgram(stats).map(({ program, pending, parked, partner }) => [program, pending, parked, partner?.limit]),
  ).toEqual([
    ['coffee', 6, 0, 8],
    ['tea', 0, 2, undefined],
  ]);
});

it('finds the program whose calls take longest', () => {
  const partner = stats.partner[0];
  const one = (program: string, latencyMs: { p50: number; p95: number } | null) => ({ ...partner, program, latencyMs });
  const told = [one('coffee', { p50: 12, p95: 90 }), one('tea', { p50: 40, p95: 41 }), one('cake', null)];
  expect(slowestOf({ ...stats, partner: told as typeof stats.partner })).toEqual({
    program: 'tea',
    latencyMs: { p50: 40, p95: 41 },
  });
  expect(slowestOf({ ...stats, partner: [] })).toBeNull();
});

describe('over time', () => {
  const point: SeriesPoint = {
    ...{
      at: '2026-11-27T02:59:00.000Z',
      received: 4,
      delivered: 3,
      parked: 1,
      unknown: 0,
      cancelled: null,
      quarantined: 0,
    },
    ...{ waiting: 1, pending: 2, stillUnknown: 0, stillParked: 9 },
    ...{ latencyP50Ms: 40, latencyP95Ms: 730, lagRecords: 12, lagSeconds: 3 },
  };
  const series = { stepSeconds: 60, items: [point] };

  it('an address names the range', () => {
    expect(rangeOf('24h').ms).toBe(86_400_000);
    expect(rangeOf(undefined).id).toBe('1h');
    expect(rangeOf('never').id).toBe('1h');
  });

  it('leaves out the step that runs', () => {
    const running = { ...point, at: '2026-11-27T03:00:00.000Z' };
    const items = [point, running];
    expect(finishedOf({ ...series, items }, Date.parse('2026-11-27T03:00:30Z')).items).toEqual([point]);
  });

  it('does not say that nothing went wrong in a minute that is not drawn yet', () => {
    expect(calmText({ stepSeconds: 60, items: [] })).toBe('What went wrong is drawn once the first minute is over.');
    const nothing = 'Nothing was parked, unknown, cancelled or set aside before the';
    expect(calmText({ stepSeconds: 60, items: [point] })).toBe(`${nothing} minute that runs.`);
    expect(calmText({ stepSeconds: 300, items: [point] })).toBe(`${nothing} 5 minutes that run.`);
  });

  it('draws what happened', () => {
    const { times, lines } = flowOf(series);
    expect(times).toEqual([point.at]);
    expect(lines.map(({ name, values }) => [name, values])).toEqual([
      ['Recorded', [4]],
      ['Delivered', [3]],
    ]);
  });

  it('adds what stands now, of the program that is looked at', () => {
    expect(stoodOf(series, stats, 'coffee').lines.map(({ values }) => values)).toEqual([
      [2, 6],
      [1, 0],
      [0, 0],
      [9, 0],
    ]);
    expect(stoodOf(series, null).times).toHaveLength(1);
  });

  it('draws how long the partner took, and how far Kafka was ahead and is', () => {
    expect(latencyOf(series).lines.map(({ name, values }) => [name, values])).toEqual([
      ['p50', [40]],
      ['p95', [730]],
    ]);
    const lagNow = (records: number, oldestSeconds: number | null): Stats => ({
      ...stats,
      lag: { records, oldestSeconds, topics: [] },
    });
    const drawn = (now: Stats) => {
      const { records, age } = lagOf(series, now);
      expect(age.times).toEqual(records.times);
      return [records, age].map(({ lines }) => lines[0]?.values);
    };
    expect(drawn(lagNow(70, 40.5))).toEqual([
      [12, 70],
      [3, 40.5],
    ]);
    expect(drawn(lagNow(70, null))[1]).toEqual([3, null]);
    // Nothing is behind, so nothing is old.
    expect(drawn(lagNow(0, null))[1]).toEqual([3, 0]);
    expect(drawn(stats)).toEqual([
      [12, null],
      [3, null],
    ]);
  });

  it('tells what nobody knows from what was nothing', () => {
    const told = (latencyP50Ms: number | null) => latencyOf({ ...series, items: [{ ...point, latencyP50Ms }] });
    expect(isUnknown(told(0))).toBe(false);
    const gap = { ...point, latencyP50Ms: null, latencyP95Ms: null };
    expect(isUnknown(latencyOf({ ...series, items: [gap] }))).toBe(true);
  });

  it('knows an empty drawing', () => {
    expect(isBlank(flowOf(series))).toBe(false);
    expect(isBlank(flowOf({ stepSeconds: 60, items: [{ ...point, received: null, delivered: 0 }] }))).toBe(true);
  });

  it.each([
    [60, 'by minute'],
    [300, 'by 5 minutes'],
  ])('a step of %s s is %s', (seconds, text) => {
    expect(stepText(seconds)).toBe(text);
  });
});
