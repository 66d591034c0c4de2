import { InvalidArgumentError } from 'commander';

import {
  parseJobId,
  parseJobName,
  parseLimit,
  parseMember,
  parseRate,
  parseReason,
  parseRecordId,
  parseSeconds,
  parseSince,
  parseTime,
  parseUntil,
} from './option-values.js';

describe('flags', () => {
  it('take a time as long ago or with its offset', () => {
    const hour = 3_600_000;
    const now = Date.parse('2026-11-21T09:00:00Z');
    jest.useFakeTimers({ now });
    expect([parseSince('2h'), parseSince('1w')]).toEqual([now - 2 * hour, now - 168 * hour]);
    jest.useRealTimers();
    expect(parseTime('2026-11-21T10:00:00+01:00')).toBe('2026-11-21T09:00:00.000Z');
  });

  it('take ends of pauses: the next such hour, so long from now, or a time', () => {
    const now = new Date(2026, 10, 21, 5, 30).getTime();
    jest.useFakeTimers({ now });
    const next = (day: number, hours: number): string => new Date(2026, 10, day, hours).toISOString();
    expect(['06:00', '05:30', '05:00'].map(parseUntil)).toEqual([
      next(21, 6),
      new Date(2026, 10, 22, 5, 30).toISOString(),
      next(22, 5),
    ]);
    expect(['30m', '2d'].map((text) => Date.parse(parseUntil(text)) - now)).toEqual([1_800_000, 172_800_000]);
    expect(parseUntil('2026-11-21T10:00:00+01:00')).toBe('2026-11-21T09:00:00.000Z');
    jest.useRealTimers();
  });

  it('take rates, limits, seconds and ids', () => {
    expect(['20/s', '20', '90/m', '0.5'].map(parseRate)).toEqual([20, 20, 1.5, 0.5]);
    expect(['1', '500', 'all'].map(parseLimit)).toEqual([1, 500, Infinity]);
    expect(['2', '0.5s', '60s'].map(parseSeconds)).toEqual([2, 0.5, 60]);
    expect(parseRecordId('42')).toBe(42);
    expect(parseJobId('incident-2026.11')).toBe('incident-2026.11');
    expect(parseReason(' mended ')).toBe('mended');
  });

  it('take a member, whatever the member is called', () => {
    expect(parseMember('coffee-club/m_1')).toEqual({ program: 'coffee-club', memberId: 'm_1' });
    expect(parseMember('p/a/b')).toEqual({ program: 'p', memberId: 'a/b' });
    expect(parseJobName('erase/j-1')).toEqual({ kind: 'erase', id: 'j-1' });
  });

  it.each<[string, (text: string) => unknown, string[]]>([
    [
      'time',
      parseSince,
      ['', '2', '2 h', '-2h', 'yesterday', '2026-11-21', '2026-11-21T10:00:00', '2026-13-41T10:00:00Z'],
    ],
    ['end', parseUntil, ['', '6', '24:00', '6:00', '06:00:00', '-1h', 'tomorrow', '2026-11-21T10:00:00']],
    ['rate', parseRate, ['', '0', '-1', '20/h', '1001/s', 'fast']],
    ['limit', parseLimit, ['', '0', '-1', '1.5', '1e3', 'none']],
    ['number of seconds', parseSeconds, ['', '0', '0.01', '100000', 'x']],
    ['reason', parseReason, ['', '  ', 'no', 'x'.repeat(1_001)]],
    ['member', parseMember, ['', 'm_1', '/m_1', 'p/']],
    ['job', parseJobName, ['', 'j-1', '/j-1', 'erase/', 'erase/a/b']],
    ['job id', parseJobId, ['', 'a b', 'x'.repeat(65)]],
    ['record', parseRecordId, ['', '0', '-1', '1.5', '9999999999999999']],
  ])('refuse what is no %s', (_what, parse, texts) => {
    for (const text of texts) expect(() => parse(text)).toThrow(InvalidArgumentError);
  });
});
