import { parseRfc3339 } from '#contracts';

import { MapRefusal } from '../map-error.js';
import type { Run } from '../native.js';
import type { Value } from '../values.js';
import { nativeNamed } from './natives.js';

const run: Run = { charge: () => undefined, made: (text) => text, call: () => undefined };

function call(name: string, ...given: Value[]): Value {
  return nativeNamed(name)!.run(given, run);
}

function refusal(name: string, ...given: Value[]): string {
  try {
    call(name, ...given);
  } catch (error) {
    if (error instanceof MapRefusal) return error.rule;
    throw error;
  }
  return 'taken';
}

describe('$time', () => {
  it.each([
    // As it is: with an offset there is nothing to decide.
    ['2026-11-21T10:15:04+01:00', undefined, '2026-11-21T10:15:04+01:00'],
    ['2026-11-21T10:15:04.123Z', undefined, '2026-11-21T10:15:04.123Z'],
    ['2026-11-21 10:15:04 +0100', undefined, '2026-11-21T10:15:04+01:00'],
    ['2026-11-21t10:15:04z', undefined, '2026-11-21T10:15:04Z'],
    ['2026-11-21T10:15:04+01', 'America/New_York', '2026-11-21T10:15:04+01:00'],
    ['2026-11-21T10:15+01:00', undefined, '2026-11-21T10:15:00+01:00'],
    ['2026-11-21T10:15:04.123456789012Z', undefined, '2026-11-21T10:15:04.123456789Z'],
    // A clock on a wall, in its zone.
    ['2026-11-21 10:15:04', 'Europe/Berlin', '2026-11-21T10:15:04+01:00'],
    ['2026-07-21T10:15:04,5', 'Europe/Berlin', '2026-07-21T10:15:04.5+02:00'],
    ['2026-11-21 10:15', 'America/St_Johns', '2026-11-21T10:15:00-03:30'],
    ['2026-01-01 00:30:00', 'Asia/Kathmandu', '2026-01-01T00:30:00+05:45'],
    ['2026-11-21 10:15:04', 'UTC', '2026-11-21T10:15:04+00:00'],
    // The hour that the clock skips is told as before it, the one that comes twice as the first of them.
    ['2026-03-29 01:59:59', 'Europe/Berlin', '2026-03-29T01:59:59+01:00'],
    ['2026-03-29 02:30:00', 'Europe/Berlin', '2026-03-29T02:30:00+01:00'],
    ['2026-03-29 03:00:00', 'Europe/Berlin', '2026-03-29T03:00:00+02:00'],
    ['2026-10-25 01:59:59', 'Europe/Berlin', '2026-10-25T01:59:59+02:00'],
    ['2026-10-25 02:30:00', 'Europe/Berlin', '2026-10-25T02:30:00+02:00'],
    ['2026-10-25 03:00:00', 'Europe/Berlin', '2026-10-25T03:00:00+01:00'],
    ['2026-11-01 01:30:00', 'America/New_York', '2026-11-01T01:30:00-04:00'],
    ['2026-03-08 02:30:00', 'America/New_York', '2026-03-08T02:30:00-05:00'],
    // Epochs by their size.
    ['1763716504', undefined, '2025-11-21T09:15:04.000Z'],
    ['1763716504.5', undefined, '2025-11-21T09:15:04.500Z'],
    ['1763716504123', undefined, '2025-11-21T09:15:04.123Z'],
    ['1763716504123456', undefined, '2025-11-21T09:15:04.123Z'],
    ['1763716504123', 'Europe/Berlin', '2025-11-21T10:15:04.123+01:00'],
    ['99999999999', undefined, '5138-11-16T09:46:39.000Z'],
    ['100000000000', undefined, '1973-03-03T09:46:40.000Z'],
    ['99999999999999', undefined, '5138-11-16T09:46:39.999Z'],
    ['100000000000000', undefined, '1973-03-03T09:46:40.000Z'],
  ])('%s in %s is %s', (value, zone, expected) => {
    expect(call('time', value, zone)).toBe(expected);
    expect(parseRfc3339(expected)).not.toBeNull();
  });

  it.each([
    ['2026-11-21 10:15:04', undefined, '$time: the time has no offset: name its zone'],
    ['2026-11-21 10:15:04', 'Europe/Berlino', '$time: what is given as zone is no time zone'],
    ['2026-02-30 10:15:04', 'Europe/Berlin', '$time: there is no such day or time'],
    ['2026-11-21T25:15:04Z', undefined, '$time: there is no such day or time'],
    ['2026-11-21', 'Europe/Berlin', '$time takes a date with a time, or an epoch'],
    ['21.11.2026 10:15', 'Europe/Berlin', '$time takes a date with a time, or an epoch'],
    ['17637165', undefined, '$time takes a date with a time, or an epoch'],
    ['1763716504123456789', undefined, '$time: the number is no epoch of seconds, milliseconds or microseconds'],
    [['2026'], undefined, '$time takes text, and this is a list'],
    ['', undefined, '$time takes a date with a time'],
  ] as const)('%j in %j is refused', (value, zone, rule) => {
    expect(refusal('time', value as Value, zone)).toContain(rule);
  });

  it('knows the offset of each minute by itself, in whatever order they are asked for, and however many', () => {
    const zone = 'Europe/Berlin';
    const day = Array.from({ length: 1_440 }, (_, minute) => Date.parse('2026-10-24T23:00:00Z') + minute * 60_000);
    const offsets = [...day, ...day.toReversed()].map(
      (at) => /.{6}$/.exec(call('time', String(at), zone) as string)?.[0],
    );
    const changesAt = Date.parse('2026-10-25T01:00:00Z');
    const expected = day.map((at) => (at < changesAt ? '+02:00' : '+01:00'));
    expect(offsets).toEqual([...expected, ...expected.toReversed()]);
  });

  it('leaves out what is not there', () => {
    expect([call('time', undefined), call('time', null, 'Europe/Berlin')]).toEqual([undefined, undefined]);
  });
});

describe('$e164', () => {
  it.each([
    ['+49 151 2345678', undefined, '+491512345678'],
    ['0151/234 56-78', 'DE', '+491512345678'],
    ['0049 151 2345678', 'DE', '+491512345678'],
    ['(0151) 2345678', 'DE', '+491512345678'],
    ['06 123 4567', 'IT', '+39061234567'],
    ['612 34 56 78', 'ES', '+34612345678'],
    ['07911 123456', 'GB', '+447911123456'],
    ['(212) 555-0100', 'US', '+12125550100'],
    ['1 212 555 0100', 'US', '+12125550100'],
    ['011 44 7911 123456', 'US', '+447911123456'],
    ['+44 7911 123456', 'DE', '+447911123456'],
  ])('%s of %s is %s', (text, country, expected) => {
    expect(call('e164', text, country)).toBe(expected);
  });

  it.each([
    ['0151 2345678', undefined, 'without a + its country must be named'],
    ['0151 2345678', 'XX', 'of that country no numbers are known here'],
    ['+49 (0)151 2345678', 'DE', 'behind a + no (0) is dialled'],
    ['0151 CALLME', 'DE', 'a number is digits, and a + before them'],
    ['+0151 2345678', undefined, 'has 8 to 15 digits'],
    ['+49 1', undefined, 'has 8 to 15 digits'],
    [`+49${'1'.repeat(14)}`, undefined, 'has 8 to 15 digits'],
    ['٠١٥١٢٣٤٥٦٧٨', 'DE', 'a number is digits'],
  ])('%s of %s is refused', (text, country, rule) => {
    expect(refusal('e164', text, country)).toContain(rule);
  });

  it('leaves out what is not there', () => {
    expect([call('e164', undefined), call('e164', null), call('e164', '')]).toEqual([undefined, undefined, undefined]);
  });
});

describe('$stable', () => {
  it('is the same for the same parts, for ever', () => {
    expect(call('stable', 'order', '1001', true)).toBe(call('stable', 'order', '1001', true));
    expect(call('stable', 'a')).toBe('e34d1fb77f49bbb61fc021a215de81cfc20d1bc08b902d51638e62ddd44e50eb');
  });

  it('is another for parts that are cut otherwise, or are of another kind', () => {
    const made = [['a', 'bc'], ['ab', 'c'], ['abc'], ['a', 'b', 'c'], ['s1:a', 'bc'], ['1'], [1], ['true'], [true]].map(
      (parts) => call('stable', ...parts),
    );
    expect(new Set(made).size).toBe(made.length);
  });

  it.each([[[undefined]], [['a', null]], [['a', '']]])('is none where a part is missing: %j', (parts) => {
    expect(refusal('stable', ...parts)).toBe('$stable: a part of the identity is missing');
  });

  it('is none of lists and objects', () => {
    expect(refusal('stable', ['a'])).toBe('$stable takes text, and a part is a list');
    expect(refusal('stable', { a: 'a' })).toBe('$stable takes text, and a part is an object');
  });
});

describe('texts', () => {
  it.each([
    ['substring', ['äöü😀x', 1, 3], 'öü😀'],
    ['substring', ['abc', -2], 'bc'],
    ['substring', ['abc', -9, 2], 'ab'],
    ['substringBefore', ['a-b-c', '-'], 'a'],
    ['substringAfter', ['a-b-c', '-'], 'b-c'],
    ['pad', ['5', -3, '0'], '005'],
    ['pad', ['5', 3], '5  '],
    ['trim', ['  a \n b '], 'a b'],
    ['replace', ['a-b-c', '-', '$1'], 'a$1b$1c'],
    ['replace', ['a-b-c', '-', '+', 1], 'a+b-c'],
    ['replace', ['0151/23', /\D/gu, ''], '015123'],
    ['replace', ['2026-11-21', /(\d+)-(\d+)/gu, '$2/$1 $$ $0'], '11/2026 $ 2026-11-21'],
    ['contains', ['abc', /B/giu], true],
    ['join', [['a', 'b'], '-'], 'a-b'],
    ['length', ['ä😀'], 2],
    ['string', [5], '5'],
  ] as const)('$%s(%j) is %j', (name, given, expected) => {
    expect(call(name, ...(given as unknown as Value[]))).toBe(expected);
  });

  it.each([
    ['split', ['a, b,c', /, ?/gu], ['a', 'b', 'c']],
    ['split', ['a-b-c', '-', 2], ['a', 'b']],
    ['split', ['abc', '-'], ['abc']],
    [
      'match',
      ['a1b22', /([a-z])(\d+)/gu],
      [
        { match: 'a1', index: 0, groups: ['a', '1'] },
        { match: 'b22', index: 2, groups: ['b', '22'] },
      ],
    ],
  ] as const)('$%s(%j) is %j', (name, given, expected) => {
    expect([...(call(name, ...(given as unknown as Value[])) as Value[])]).toEqual(expected);
  });

  it('stay missing where they are', () => {
    for (const name of [
      'uppercase',
      'substring',
      'replace',
      'split',
      'contains',
      'pad',
      'match',
      'join',
      'string',
      'length',
    ]) {
      expect(call(name, undefined, undefined, undefined)).toBeUndefined();
    }
  });
});
