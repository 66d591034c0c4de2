import fc from 'fast-check';

import { canonicalJson } from './canonical-json.js';
import type { JsonValue } from './partner-command.js';

/** The definition, as plainly as it can be said. */
function plainly(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${(value as JsonValue[]).map(plainly).join(',')}]`;
  const members = Object.entries(value as Record<string, JsonValue>).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${plainly(member)}`).join(',')}}`;
}

const json = fc.jsonValue({ depthSize: 'medium', maxDepth: 5 }) as fc.Arbitrary<JsonValue>;

describe('canonical JSON', () => {
  it('is the text of the definition', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(plainly(value));
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not depend on the order of keys, however many there are', () => {
    const keys = fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 60 });
    fc.assert(
      fc.property(keys, (names) => {
        const object = (order: string[]): JsonValue => Object.fromEntries(order.map((name) => [name, name.length]));
        const text = canonicalJson(object(names));
        expect(canonicalJson(object([...names].reverse()))).toBe(text);
        expect(text).toBe(plainly(object(names)));
      }),
    );
  });

  it.each<[JsonValue, string]>([
    [-0, '0'],
    [1e21, '1e+21'],
    [0.1, '0.1'],
    ['ä"\\\n\u2028', '"ä\\"\\\\\\n\u2028"'],
    [{ b: 1, a: undefined, 10: 2, 9: 3 } as unknown as JsonValue, '{"10":2,"9":3,"b":1}'],
    [[], '[]'],
    [{}, '{}'],
    [[[], {}, null], '[[],{},null]'],
  ])('of %j', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});
