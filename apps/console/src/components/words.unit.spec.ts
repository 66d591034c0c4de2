import { moneyText } from './money-words.js';
import { operationAction, operationFullName, operationName, operations, operationText } from './operation-words.js';
import { absoluteTextWithZone, durationText, listText, relativeText } from './time-words.js';

const secondsMs = 1_000;

it.each([
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [125, '2 min 5 s'],
  [11 * 60 + 5, '11 min'],
  [2 * 3_600 + 300, '2 h 5 min'],
  [86_400 * 3 + 3_600, '3 d 1 h'],
  [86_400 * 40, '40 d'],
])('%s seconds are %s', (seconds, text) => {
  expect(durationText(seconds * secondsMs)).toBe(text);
});

it('says whether it was or will be', () => {
  expect(relativeText(0, 61_000)).toBe('1 min ago');
  expect(relativeText(61_000, 0)).toBe('in 1 min');
  expect(relativeText(10, 20)).toBe('now');
});

it('writes a time as ISO does, with its zone', () => {
  expect(absoluteTextWithZone(Date.UTC(2026, 10, 26, 23, 57, 23), 'utc')).toBe('2026-11-26 23:57:23 UTC');
});

it.each([
  ['2026-11-27T00:00:01Z', '00:00:01'],
  ['2026-11-26T23:57:23Z', '11-26 23:57'],
  ['2025-11-27T23:57:23Z', '2025-11-27'],
])('writes %s in a list, on the day after that, as %s', (at, text) => {
  expect(listText(Date.parse(at), Date.UTC(2026, 10, 27, 12), 'utc')).toBe(text);
});

it.each([
  [{ minor: 1250, currency: 'EUR', digits: 2 }, 'EUR 12.50'],
  [{ minor: -1250, currency: 'EUR', digits: 2 }, '-EUR 12.50'],
  [{ minor: 1250, currency: 'JPY', digits: 0 }, 'JPY 1,250'],
  [{ minor: 1250, currency: 'KWD', digits: 3 }, 'KWD 1.250'],
  [{ minor: 123_456_789_012, currency: 'EUR', digits: 2 }, 'EUR 1,234,567,890.12'],
  [{ minor: 5, currency: 'EUR', digits: 2 }, 'EUR 0.05'],
  // Display libraries show these without fractions.
  [{ minor: 599_900, currency: 'HUF', digits: 2 }, 'HUF 5,999.00'],
  [{ minor: 599_900, currency: 'IQD', digits: 3 }, 'IQD 599.900'],
  [{ minor: 59_999, currency: 'EUR', digits: 3 }, 'EUR 59.999'],
])('%j is %s', (amount, text) => {
  expect(moneyText(amount)).toBe(text);
});

describe('the kinds of work', () => {
  it('have one name each, for one of them and for many', () => {
    expect(operations.map((operation) => [operationName(operation, 1), operationName(operation)])).toEqual([
      ['enrolment', 'enrolments'],
      ['enrolment', 'enrolments'],
      ['update', 'updates'],
      ['purchase', 'purchases'],
      ['reward', 'rewards'],
      ['scheduled update', 'scheduled updates'],
    ]);
  });

  it('are told apart by the word of the API where that is needed', () => {
    expect(operationFullName('transaction', 1)).toBe('purchase (transaction)');
    expect(new Set(operations.map((operation) => operationFullName(operation))).size).toBe(operations.length);
    expect(operationText('reward')).toBe('rewards (reward)');
    expect(operationText('of a newer daemon')).toBe('of a newer daemon');
  });

  it('say what they do at the partner', () => {
    expect(operationAction('transaction')).toBe('posts a purchase');
  });
});
