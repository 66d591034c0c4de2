import fc from 'fast-check';
import { apiDepthMax, jsonDepthMax, jsonFlaw, lossyPaths, nestsDeeper, readJson, readJsonText } from './read-json.js';

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

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('what somebody else has written as JSON', () => {
  it.each([jsonDepthMax, apiDepthMax])('is read down to its depth, %d, and no deeper', (depthMax) => {
    expect(readJsonText(nested(depthMax), { depthMax })).toBeDefined();
    expect(readJsonText(nested(depthMax + 1), { depthMax })).toBeUndefined();
    expect(readJsonText(nested(1_000_000), { depthMax, revive: (_key, value) => value })).toBeUndefined();
  });

  it('is no value where it cannot be read, and null is one', () => {
    expect(readJsonText('null')).toBeNull();
    for (const text of ['', '{', 'undefined', '[1] [2]']) expect(readJsonText(text)).toBeUndefined();
  });

  it.each([
    '__proto__',
    String.raw`\u005f_proto__`,
    String.raw`__\u0070roto__`,
    String.raw`__pr\u006Fto__`,
    String.raw`__pro\u0074o__`,
  ])('reaches no prototype, however %s is spelled', (name) => {
    const text = `{"a":[{"${name}":{"isAdmin":true},"b":1}]}`;
    for (const value of [readJsonText(text), readJson(Buffer.from(text))]) {
      expect(JSON.stringify(value)).not.toContain('isAdmin');
    }
  });

  it('is bounded in bytes, and strict UTF-8', () => {
    expect(readJson(Buffer.from('[1]'), 2)).toEqual({ ok: false, detail: 'larger than 2 bytes' });
    expect(readJson(Buffer.from([0x22, 0xff, 0x22]))).toEqual({ ok: false, detail: 'invalid UTF-8' });
  });
});

describe('how deep a value nests', () => {
  it('is what its text does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 7 }), (value, depth) => {
        expect(nestsDeeper(value, depth)).toBe(jsonFlaw(JSON.stringify(value), depth) === 'too-deep');
      }),
    );
  });

  it('is without end where it holds itself', () => {
    const ring: unknown[] = [];
    ring.push({ ring });
    expect(nestsDeeper(ring, jsonDepthMax)).toBe(true);
  });
});
