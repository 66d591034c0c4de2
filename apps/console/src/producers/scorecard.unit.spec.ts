import {
  asideOf,
  badness,
  bySource,
  countedTime,
  found,
  isMarked,
  linesOf,
  ordered,
  type Producer,
  rangeOf,
  rangeWords,
  rateOf,
  rateText,
} from './scorecard.js';
import { scorecardText } from './scorecard-text.js';

const nothing = { events: 0, late: 0, outOfOrder: 0, invalid: 0, duplicates: 0, conflicting: 0 };
const till: Producer = { ...nothing, source: '/pos/paris', store: 'paris', program: 'tea', events: 300, late: 30 };

describe('a line for each source', () => {
  it('adds up what stood apart, and names the store and program that all name who name any', () => {
    const refused = { ...nothing, source: '/pos/paris', store: null, program: null, invalid: 6 };
    expect(bySource([till, refused, { ...till, store: null, program: 'coffee', events: 5, late: 0 }])).toEqual([
      { ...till, program: null, isRest: false, isSummed: true, events: 305, invalid: 6 },
    ]);
  });

  it('leaves apart what has no source, and what had no room of its own', () => {
    const none = { ...nothing, source: null, store: null, program: null, invalid: 1 };
    expect(bySource([none, { ...none, isRest: true }, till]).map(({ isRest }) => isRest)).toEqual([false, true, false]);
  });
});

describe('the lines that fit a text', () => {
  const coffee = { ...till, program: 'coffee', events: 5, invalid: 2 };

  it('are whole sources, for so the quarantine shows them', () => {
    expect(linesOf([till, coffee], { q: 'coffee' }).map(({ events, invalid }) => [events, invalid])).toEqual([
      [305, 2],
    ]);
    expect(linesOf([till, coffee], { q: 'milk' })).toEqual([]);
  });

  it('are those alone where each store and program has its own', () => {
    expect(linesOf([till, coffee], { by: 'all', q: 'coffee' })).toEqual([coffee]);
  });
});

describe('what was set aside', () => {
  it('is that of the producer alone, as it was counted, whatever became of it', () => {
    const invalid = { countedAs: 'invalid', state: 'any' };
    expect(asideOf(till, 'invalid')).toEqual({ source: '/pos/paris', store: 'paris', program: 'tea', ...invalid });
    expect(asideOf({ ...till, store: null, program: null }, 'conflicting')).toEqual({
      ...{ source: '/pos/paris', store: '(none)', program: '(none)', countedAs: 'conflicting', state: 'any' },
    });
    expect(bySource([till]).map((line) => asideOf(line, 'invalid'))).toEqual([{ source: '/pos/paris', ...invalid }]);
    expect(asideOf({ ...till, source: null, isSummed: true }, 'invalid')).toEqual({ source: '(none)', ...invalid });
  });

  it('is of the whole hours that were counted, and of none after the counting', () => {
    const counted = { from: '2026-11-26T12:00:00.000Z', to: '2026-11-26T14:20:00.000Z' };
    expect(countedTime({ from: '2026-11-26T12:34:00Z' }, counted)).toEqual(counted);
    const own = countedTime({ from: '2026-11-26T12:34:00Z', to: '2026-11-26T14:20:00Z' }, counted);
    expect(own).toEqual({ ...counted, to: '2026-11-26T15:00:00.000Z' });
    const whole = { ...counted, to: '2026-11-26T14:00:00.000Z' };
    expect(countedTime({ to: whole.to }, whole)).toEqual(whole);
  });

  it('is nowhere of those without room of their own, nor of what was taken in', () => {
    expect(asideOf({ ...till, isRest: true }, 'invalid')).toBeNull();
    expect(asideOf(till, 'late')).toBeNull();
  });
});

describe('rates', () => {
  it('are of what was taken in, or of all that was sent', () => {
    const producer = { ...till, invalid: 100 };
    expect(rateOf(producer, 'late')).toBe(0.1);
    expect(rateOf(producer, 'invalid')).toBe(0.25);
    expect(rateOf({ ...till, events: 0 }, 'late')).toBeNull();
  });

  it.each([
    [null, '–'],
    [0, '0 %'],
    [0.00001, '< 0.01 %'],
    [0.0004, '0.04 %'],
    [0.031, '3.1 %'],
    [0.424, '42 %'],
  ])('%s is written %s', (rate, text) => {
    expect(rateText(rate)).toBe(text);
  });

  it('are marked beyond a limit', () => {
    expect(isMarked(till, 'late')).toBe(true);
    expect(isMarked(till, 'invalid')).toBe(false);
  });
});

describe('the worst', () => {
  const once = { ...nothing, source: 'once', store: null, events: 1, invalid: 1 };
  const often = { ...nothing, source: 'often', store: null, events: 200, invalid: 100 };
  const repeats = { ...nothing, source: 'repeats', store: null, events: 200, duplicates: 100 };

  it('is who is surely bad, not who was bad by chance', () => {
    expect(ordered([repeats, once, often], 'worst').map(({ source }) => source)).toEqual(['often', 'once', 'repeats']);
    expect(badness({ ...nothing, source: null, store: null })).toBe(0);
  });

  it('may be of one kind', () => {
    expect(ordered([often, repeats], 'duplicates')[0]?.source).toBe('repeats');
    expect(ordered([once, till], 'events')[0]?.source).toBe('/pos/paris');
  });

  it('can be looked for', () => {
    expect(found([once, till], 'PAR')).toEqual([till]);
  });
});

describe('the range', () => {
  const nowMs = Date.UTC(2026, 10, 26, 12, 34);

  it('is whole hours, a day at first', () => {
    expect(rangeOf({}, nowMs)).toEqual({ name: '24h', query: { from: '2026-11-25T13:00:00.000Z' } });
    expect(rangeOf({ range: '1h' }, nowMs)).toEqual({ name: '1h', query: { from: '2026-11-26T12:00:00.000Z' } });
  });

  it('may be one of its own', () => {
    expect(rangeOf({ to: 'x', range: '7d' }, nowMs)).toEqual({ name: 'own', query: { to: 'x' } });
  });
});

it('says which time it is about', () => {
  expect(rangeWords({ to: '1970-01-02T00:00:00Z' }, 0, String)).toBe('from 0 to 86400000');
  expect(rangeWords({ from: '1970-01-01T00:00:01Z' }, 2_000, String)).toBe('from 1000 to 2000');
});

it('is told as Markdown', () => {
  const text = scorecardText([{ ...till, source: 'a|b' }], 'the last day');
  expect(text).toContain('# Loyalty events, the last day\n');
  expect(text).toContain(String.raw`| a\|b | paris | tea | 300 | 0 (0 %) | 0 (0 %) | 0 (0 %) | 30 (10 %) | 0 (0 %) |`);
  expect(text).toContain('- Late: came more than an hour after it happened.');
});
