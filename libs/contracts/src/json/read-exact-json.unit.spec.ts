import fc from 'fast-check';
import { readExactJson, readExactJsonText } from './read-exact-json.js';
import { jsonDepthMax, readJson } from './read-json.js';

/** By the platform's own parser, which tells each number's text. */
function reference(text: string): unknown {
  const parse = JSON.parse as (
    text: string,
    revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown;
  return parse(text, (_key, value, { source }) => (typeof value === 'number' ? source : value));
}

const parsed = (text: string): unknown => {
  try {
    return { ok: true, value: reference(text) };
  } catch {
    return { ok: false, detail: 'not JSON' };
  }
};

describe('numbers of JSON', () => {
  it('are the very text that was sent, however long', () => {
    const text = '{"a":59.990,"b":[9007199254740993,-0,1E400,0.1e-7],"12":"34","c\\"5":true}';
    expect(readExactJsonText(text)).toEqual({
      ok: true,
      value: { a: '59.990', b: ['9007199254740993', '-0', '1E400', '0.1e-7'], '12': '34', 'c"5': true },
    });
    expect(readExactJsonText(' 42 ')).toEqual({ ok: true, value: '42' });
  });

  it.each(['{1:2}', '{-1 :2}', '{"a":1\n:2}', '[01]', '[1.]', '[.5]', '[+5]', '[--1]', '[1e]', '[1 2]', '[1"a"]', '-'])(
    'do not make JSON of what is none: %s',
    (text) => {
      expect(readExactJsonText(text)).toEqual({ ok: false, detail: 'not JSON' });
    },
  );

  it('change nothing else of what is JSON and what is not', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(readExactJsonText(text)).toEqual({ ok: true, value: reference(text) });
      }),
      { numRuns: 1_000 },
    );
    const tokens = fc.constantFrom(...'{}[]:,"-+.eE019 \\'.split(''), 'true', 'null', '"a"', '1.5', '\n');
    fc.assert(
      fc.property(fc.array(tokens, { maxLength: 12 }), (some) => {
        const text = some.join('');
        expect(readExactJsonText(text)).toEqual(parsed(text));
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('exact JSON', () => {
  it.each([
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.from('"\\ud800"'),
    Buffer.from('['.repeat(jsonDepthMax + 1) + ']'.repeat(jsonDepthMax + 1)),
    Buffer.from('{'),
  ])('refuses what the reader of events refuses, in its words: %s', (bytes) => {
    expect(readExactJson(bytes)).toEqual(readJson(bytes));
  });

  it('reaches no prototype, and is bounded in bytes', () => {
    expect(JSON.stringify(readExactJsonText('{"__proto__":{"isAdmin":1},"b":1}'))).not.toContain('isAdmin');
    expect(readExactJson(Buffer.from('[1]'), 2)).toEqual({ ok: false, detail: 'larger than 2 bytes' });
  });
});
