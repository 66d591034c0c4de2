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

  it('keeps fractions and exponents numbers', () => {
    const text = '[0.12345678901234567, 1e30]';
    expect(parseJson(text)).toEqual(JSON.parse(text));
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
        fc.pre(!/\d{16}/.test(text));
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
