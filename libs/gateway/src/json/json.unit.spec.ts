import fc from 'fast-check';
import { parseJson } from './parse-json.js';
import { readBody } from './read-body.js';

describe('parseJson', () => {
  it('keeps integers beyond 2^53 as text and everything else as usual', () => {
    const text =
      '{"id":9007199254740993,"n":-12345678901234567890,"small":9007199254740991,"f":1.5,"t":"9007199254740993"}';
    expect(parseJson(text)).toEqual({
      id: '9007199254740993',
      n: '-12345678901234567890',
      small: 9007199254740991,
      f: 1.5,
      t: '9007199254740993',
    });
  });

  it('keeps fractions and exponents numbers where a float tells them', () => {
    const text = '[0.1234567890123456, 1e30, 59.9900000000000000, 0.30000000000000004]';
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('keeps an amount that a float would change as text', () => {
    const text = '[12345678901234567.89, -0.12345678901234567890]';
    expect(parseJson(text)).toEqual(['12345678901234567.89', '-0.12345678901234567890']);
  });

  it('keeps an amount as text that a float would make whole', () => {
    expect(parseJson('[-4202382968798534.75]')).toEqual(['-4202382968798534.75']);
  });

  it('never changes an integer', () => {
    fc.assert(
      fc.property(fc.bigInt(), (id) => {
        const { read } = parseJson(`{"read":${id}}`) as { read: number | string };
        expect(String(read)).toBe(id.toString());
      }),
    );
  });

  it('reads any JSON that holds no long integer as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d[\d.]{15}/.test(text));
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('readBody', () => {
  it.each([
    ['{"a":1}', 'complete-json-object'],
    ['\uFEFF{"a":1}', 'complete-json-object'],
    ['[{}]', 'other-json'],
    ['null', 'other-json'],
    ['"text"', 'other-json'],
    ['', 'empty'],
    [' \r\n', 'empty'],
    ['{"a":', 'not-json'],
    ['<html>', 'not-json'],
    ['{"a":1}{"b":2}', 'not-json'],
  ])('%j is %s', (text, kind) => {
    expect(readBody(Buffer.from(text)).kind).toBe(kind);
  });

  it('takes broken UTF-8 for no JSON', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(readBody(bytes).kind).toBe('not-json');
  });
});
