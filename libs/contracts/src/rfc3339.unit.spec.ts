import fc from 'fast-check';
import { parseRfc3339 } from './rfc3339.js';

describe('RFC 3339 times', () => {
  it.each([
    ['2026-11-21T10:15:04+01:00', '2026-11-21T09:15:04.000Z'],
    ['2026-11-21t10:15:04.123456789z', '2026-11-21T10:15:04.123Z'],
    ['2026-11-21T10:15:04.1-00:30', '2026-11-21T10:45:04.100Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, utc) => {
    expect(parseRfc3339(text)).toBe(Date.parse(utc));
  });

  it.each([
    '2026-11-21',
    '2026-11-21T10:15:04',
    '2026-11-21 10:15:04Z',
    '2026-11-21T10:15Z',
    '2026-11-21T10:15:04.Z',
    '2026-11-21T10:15:04+0100',
    '2026-13-01T10:15:04Z',
    '2025-02-29T10:15:04Z',
    '2026-11-00T10:15:04Z',
    '2026-11-31T10:15:04Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T10:60:04Z',
    '2026-11-21T10:15:61Z',
    '2026-11-21T10:15:04+24:00',
    '+002026-11-21T10:15:04Z',
    ' 2026-11-21T10:15:04Z',
    '2026-11-21T10:15:04Z\n',
  ])('%j is not one', (text) => {
    expect(parseRfc3339(text)).toBeNull();
  });

  it('agrees with the platform on everything the platform writes', () => {
    const date = fc.date({
      min: new Date('1970-01-01T00:00:00Z'),
      max: new Date('9999-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(fc.property(date, (moment) => expect(parseRfc3339(moment.toISOString())).toBe(moment.getTime())));
  });
});
