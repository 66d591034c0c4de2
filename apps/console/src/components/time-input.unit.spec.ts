import { agoMs, clockChangeFlaw, inputText, momentOf } from './time-input.js';

it.each(['utc', 'local'] as const)('reads in %s what it wrote', (zone) => {
  expect(momentOf(inputText('2026-11-26T23:57:00.000Z', zone), zone)).toBe('2026-11-26T23:57:00.000Z');
});

it('writes minutes', () => {
  expect(inputText('2026-11-26T23:57:23.500Z', 'utc')).toBe('2026-11-26T23:57');
});

it.each(['', 'soon'])('takes %j for no time', (text) => {
  expect(momentOf(text, 'utc')).toBeNull();
  expect(inputText(text, 'utc')).toBe('');
});

describe('a time by a clock that changes', () => {
  const zoneBefore = process.env.TZ;

  beforeAll(() => {
    process.env.TZ = 'Europe/Berlin';
  });

  afterAll(() => {
    if (zoneBefore === undefined) delete process.env.TZ;
    else process.env.TZ = zoneBefore;
  });

  it.each([
    ['2027-03-28T01:59', null],
    ['2027-03-28T02:30', expect.stringContaining('never shows')],
    ['2027-03-28T03:00', null],
    ['2027-10-31T01:59', null],
    ['2027-10-31T02:30', expect.stringContaining('twice')],
    ['2027-10-31T03:00', null],
    ['', null],
  ])('%s', (text, flaw) => {
    expect(clockChangeFlaw(text, 'local')).toEqual(flaw);
    expect(clockChangeFlaw(text, 'utc')).toBeNull();
  });
});

it.each([
  ['2h', 10_000_000 - 7_200_000],
  ['15m', 10_000_000 - 900_000],
  ['2 h', null],
  ['today', null],
])('%j ago', (text, at) => {
  expect(agoMs(text, 10_000_000)).toBe(at);
});
