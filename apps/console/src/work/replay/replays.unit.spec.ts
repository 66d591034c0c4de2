import { canaryVerdict, type Judged } from './canary.js';
import { forecastLines, forecastText, paceText, sendable } from './forecast.js';
import { detailText, progressOf, speedOf, speedText, withSample } from './progress.js';
import { countOf, filterOf, filterOfReplay, type Replay, selectionText } from './replay-filter.js';

describe('the filter of a replay', () => {
  it('is what an address says, without what a replay does not know', () => {
    expect(filterOf({ status: 'parked', fingerprint: 'f1', program: 'tea', cursor: 'x' })).toEqual({
      fingerprint: 'f1',
      program: 'tea',
    });
  });

  it.each([
    [{ operation: 'transaction' }, { operation: 'transaction' }],
    [
      { from: 0, to: 1_000 },
      { from: '1970-01-01T00:00:00.000Z', to: '1970-01-01T00:00:01.000Z' },
    ],
    [
      { program: 'coffee club', memberId: 'm~1', seq: 7, reason: 'rejected' },
      { q: 'coffee%20club~m%7E1~7', reason: 'rejected' },
    ],
    [
      { program: 'tea', memberId: 'm1' },
      { program: 'tea', memberId: 'm1' },
    ],
    [{}, {}],
  ])('asks for what was frozen: %j as %j', (query, asked) => {
    expect(filterOfReplay({ query })).toEqual(asked);
  });

  it.each([
    [{ operation: 'transaction', program: 'tea', reason: 'rejected' }, 'Purchases of tea: rejected'],
    [
      { program: 'tea', store: 'hamburg', from: '2026-11-21T08:00:00Z' },
      'All that is parked of tea: store hamburg, recorded from 2026-11-21 08:00:00',
    ],
    [{ q: 'tea~m1~7', operation: 'reward' }, 'Rewards: tea~m1~7'],
    [{}, 'All that is parked'],
  ])('names a replay in a list: %j', (filter, text) => {
    expect(selectionText(filter, 'utc')).toBe(text);
  });

  it.each([
    [{ operation: 'transaction' }, 312, '312 purchases'],
    [{ operation: 'transaction' }, 1, '1 purchase'],
    [{ operation: 'none of ours' }, 2, '2 intents'],
    [{ operation: 'issue' }, 1, '1 enrolment'],
    [{}, 1_200, '1,200 intents'],
  ])('names what it selects: %j, %s: %s', (filter, count, text) => {
    expect(countOf(filter, count)).toBe(text);
  });
});

describe('a forecast', () => {
  it('lists what is sent first, and counts it', () => {
    const replay = { byForecast: { voided: 9, 'was-refused': 3, 'will-post': 5, 'needs-decision': 1 } };
    expect(forecastLines(replay).map(({ forecast }) => forecast)).toEqual([
      ...['will-post', 'was-refused', 'voided', 'needs-decision'],
    ]);
    expect(sendable(replay)).toBe(8);
  });

  it.each([
    [3, { 'will-post': 3 }, 'All 3 will be sent once more.'],
    [1, { 'will-post': 1 }, 'It will be sent once more.'],
    [
      1,
      { 'was-refused': 1 },
      'It will be sent once more. It was refused before, and will be again unless the cause is mended.',
    ],
    [
      2,
      { 'was-refused': 2 },
      'All 2 will be sent once more. All of those were refused before, and will be again unless the cause is mended.',
    ],
    [
      4,
      { 'will-post': 2, 'was-refused': 1, voided: 1 },
      '3 of 4 will be sent once more. 1 of those was refused before, and will be again unless the cause is mended. 1 is left as it is.',
    ],
    [2, { 'needs-decision': 2 }, 'None of them can be sent again: each needs something else first.'],
  ])('of %s, %j, says: %s', (items, byForecast, text) => {
    expect(forecastText({ items, byForecast })).toBe(text);
  });

  it.each([
    [{ count: 312, ratePerSecond: 10, isCanary: false }, 'About 31 s at 10 a second. It yields to live traffic.'],
    [
      { count: 7_200, ratePerSecond: 1, isCanary: true },
      'About 2 h at 1 a second, and the time in which the first ones are answered. It yields to live traffic.',
    ],
    [{ count: 1, ratePerSecond: 10, isCanary: true }, 'Less than a second at 10 a second. It yields to live traffic.'],
    [{ count: 1, ratePerSecond: Number.NaN, isCanary: true }, 'Say how many a second.'],
  ])('of %j takes: %s', (pace, text) => {
    expect(paceText(pace)).toBe(text);
  });
});

describe('the canary of a replay', () => {
  const judged = (change: Partial<Judged>): Judged => ({
    ...{ state: 'running', canary: true, canaryProgress: null, error: null, byForecast: {} },
    byState: {},
    ...change,
  });

  it.each<[string, Partial<Judged>, string]>([
    ['nothing was sent', { byState: { waiting: 30 } }, 'The first one goes next'],
    ['the first is under way', { byState: { sent: 1, waiting: 29 } }, 'The first one is under way'],
    ['the first is delivered', { byState: { delivered: 1, sent: 4 } }, 'The first one was delivered: ten more go'],
    ['eleven are delivered', { byState: { delivered: 11, sent: 40 } }, 'The canary is well: the rest goes'],
    [
      'one of the ten failed again',
      { byState: { delivered: 9, parked: 1 } },
      'The first one was delivered: ten more go',
    ],
    ['some failed again', { byState: { delivered: 10, parked: 1 } }, 'The canary lets the rest go'],
    [
      'it was resumed',
      { byState: { parked: 1, waiting: 29 }, canaryProgress: { settled: 0, failed: 0 } },
      'The first one goes next',
    ],
    [
      'it was resumed, and the first one of the new canary is well',
      { byState: { parked: 1, delivered: 1, sent: 10 }, canaryProgress: { settled: 1, failed: 0 } },
      'The first one was delivered: ten more go',
    ],
    ['there is none', { canary: false }, 'Without a canary'],
    ['it was paused', { state: 'paused' }, 'Somebody paused it'],
    ['it was cancelled', { state: 'cancelled' }, 'It was cancelled'],
    ['it is over', { state: 'done', byState: { delivered: 30 } }, 'None failed again'],
    ['it is over, and not well', { state: 'done', byState: { delivered: 28, parked: 2 } }, '2 of 30 failed again'],
    ['it is planned', { state: 'planned' }, 'One first, then ten, then the rest'],
  ])('says, when %s', (_when, change, title) => {
    expect(canaryVerdict(judged(change)).title).toBe(title);
  });

  it('tells what failed since it began, not what an earlier one stopped at', () => {
    const byState = { parked: 2, delivered: 9, waiting: 89 };
    const meaning = (failed: number): string =>
      canaryVerdict(judged({ byState, canaryProgress: { settled: 10, failed } })).meaning;
    expect(meaning(0)).toBe('It stops if two of them fail again.');
    expect(meaning(1)).toBe('1 of 10 failed again so far. It stops if one more of them fails again.');
  });

  it('says why it stopped, and what to do', () => {
    const error = 'the one that was sent failed again';
    const verdict = canaryVerdict(judged({ state: 'stopped', error, byState: { parked: 1, waiting: 311 } }));
    expect(verdict).toMatchObject({
      tone: 'bad',
      title: `The canary stopped it: ${error}`,
      meaning: 'Nothing more is sent. 311 wait as before, and 1 is parked again.',
    });
    expect(verdict.steps).toHaveLength(4);
  });
});

it.each([
  [null, ''],
  ['lane-blocked', 'Another intent of its member blocks the queue'],
  ['rejected refused', 'Refused by the partner'],
  ['exhausted http-503', 'Given up after many tries: http-503'],
  ['exhausted', 'Given up after many tries'],
])('what is said of an item, %j, is told in words', (detail, text) => {
  expect(detailText(detail)).toBe(text);
});

describe('the progress of a replay', () => {
  it('counts what has come to an end', () => {
    const progress = progressOf({ items: 10, byState: { delivered: 4, parked: 1, sent: 2, waiting: 3 } });
    expect(progress).toMatchObject({ ended: 5, percent: 50 });
    expect(progress.parts.map(({ state }) => state)).toEqual(['delivered', 'parked', 'sent', 'waiting']);
  });

  it('is measured over the last half minute', () => {
    const samples = [0, 10, 20, 40].reduce<ReturnType<typeof withSample>>(
      (before, seconds) => withSample(before, { atMs: seconds * 1_000, ended: seconds * 5 }),
      [],
    );
    expect(samples.map(({ atMs }) => atMs)).toEqual([10_000, 20_000, 40_000]);
    expect(speedOf(samples)).toBe(5);
    expect(speedOf(samples.slice(-1))).toBeNull();
  });

  it('says how long it will still take', () => {
    const replay = {
      state: 'running',
      items: 100,
      byState: { delivered: 50, waiting: 50 },
      ratePerSecond: 10,
    } as unknown as Replay;
    expect(speedText(replay, null)).toBe('At most 10 a second; about 5 s left');
    expect(speedText(replay, 2.5)).toBe('2.5 a second (at most 10); about 20 s left');
    expect(speedText({ ...replay, state: 'paused' }, 2.5)).toBe('At most 10 a second when it goes on');
  });
});
