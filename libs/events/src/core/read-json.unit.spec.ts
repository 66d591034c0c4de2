import fc from 'fast-check';
import { jsonFlaw, lossyPaths } from './read-json.js';

const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 25 }).map((some) => some.join(''));
const number = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(fc.integer({ min: -400, max: 400 })))
  .map(([sign, whole, fraction, exponent]) =>
    [sign, whole.replace(/^0+(?=.)/, ''), fraction && `.${fraction}`, exponent && `e${exponent}`].join(''),
  );
const scalar = fc.oneof(
  number,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom('true', 'null', '"\\\\"', '"1e400"', '{}'),
);
const { text: json } = fc.letrec<{ text: string; list: string; object: string }>((tie) => ({
  text: fc.oneof({ maxDepth: 4 }, scalar, tie('list'), tie('object')),
  list: fc.array(tie('text'), { maxLength: 4 }).map((members) => `[${members.join(', ')}]`),
  object: fc.array(tie('text'), { maxLength: 4 }).map((members) => {
    return `{${members.map((member, index) => `"${index}": ${member}`).join()}}`;
  }),
}));

describe('numbers that lose digits', () => {
  it('are seen without parsing exactly where the parser meets them', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(jsonFlaw(text, 64)).toBe(lossyPaths(text, 1).length === 0 ? null : 'loses-digits');
      }),
      { numRuns: 2_000 },
    );
  });

  it('are none that a float tells, nor any that comes back as it was', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()), (value) => {
        expect(jsonFlaw(`[${JSON.stringify(value)},${value.toExponential()}]`, 64)).toBeNull();
      }),
    );
  });

  it('are all whole numbers that come back as others', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (value) => {
        const isKept = JSON.stringify(JSON.parse(String(value))) === String(value);
        expect(jsonFlaw(String(value), 64)).toBe(isKept ? null : 'loses-digits');
      }),
    );
  });
});
