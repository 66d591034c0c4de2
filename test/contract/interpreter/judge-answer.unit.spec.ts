import type { Matcher } from '../specification.js';
import { mismatch } from './judge-answer.js';

const fitting: readonly (readonly [Matcher, unknown])[] = [
  ['string', ''],
  ['number', 0],
  ['boolean', false],
  ['object', {}],
  ['array', []],
  ['url', 'https://example.org/x?y'],
  ['absent', undefined],
  [{ is: { a: [1] } }, { a: [1] }],
  [{ is: false }, false],
  [{ sameText: '31' }, 31],
  [{ instant: '2026-11-21T09:15:04.000Z' }, '2026-11-21T10:15:04+01:00'],
  [{ matches: '^a' }, 'ab'],
  [{ atLeast: 1 }, 1],
  [{ length: 0 }, []],
  [{ has: { a: 1 } }, { a: 1, b: 2 }],
];

const other: readonly (readonly [Matcher, unknown, RegExp])[] = [
  ['string', 1, /no string/],
  ['string', undefined, /missing/],
  ['number', '1', /no number/],
  ['object', [], /no object/],
  ['object', null, /no object/],
  ['array', {}, /no array/],
  ['url', 'example.org', /no url/],
  ['absent', null, /is there/],
  [{ type: 'number', is: 5 }, '5', /no number/],
  [{ is: 1 }, 2, /is 2, not 1/],
  [{ is: 1 }, undefined, /missing/],
  [{ sameText: '31' }, 32, /not "31"/],
  [{ instant: '2026-11-21T09:15:04.000Z' }, '2026-11-21T09:15:05.000Z', /not the moment/],
  [{ instant: 'no time' }, 'no time', /not the moment/],
  [{ matches: '^a' }, 'ba', /does not match/],
  [{ atLeast: 1 }, 0, /less than 1/],
  [{ length: 1 }, [], /has 0 items/],
  [{ length: 0 }, {}, /has no items/],
  [{ has: { a: 1 } }, { a: 2 }, /does not have a = 1/],
];

describe('matching a value', () => {
  it.each(fitting)('%j takes %j', (matcher, value) => {
    expect(mismatch(matcher, value)).toBeNull();
  });

  it.each(other)('%j does not take %j', (matcher, value, problem) => {
    expect(mismatch(matcher, value)).toMatch(problem);
  });

  it('shows long values shortened', () => {
    expect(mismatch('number', 'x'.repeat(1_000))?.length).toBeLessThan(200);
  });
});
