import { readRecord } from './read-record.js';

const read = (sample: unknown): ReturnType<typeof readRecord> => readRecord(Buffer.from(JSON.stringify(sample)));

/** What a sample is taken for, with its value as text. */
const recordOf = (sample: unknown): object | string => {
  const result = read(sample);
  if (!result.ok) return result.detail;
  const { value, headers, key } = result.record;
  return { value: value === null ? null : Buffer.from(value).toString(), headers, key };
};

describe('a sample', () => {
  it('is an event in structured mode, byte for byte, unless it says more', () => {
    const bytes = Buffer.from('{ "specversion": "1.0", "value": 1 }\r');
    expect(readRecord(bytes)).toMatchObject({
      ok: true,
      record: { value: bytes, headers: { 'content-type': 'application/cloudevents+json' }, key: undefined },
    });
  });

  it.each([[Buffer.from('no JSON')], [Buffer.from([0xff])], [Buffer.from('[1]')], [Buffer.from('{"program":"x"}')]])(
    'is left to the decoder where it is neither: %s',
    (bytes) => {
      expect(readRecord(bytes)).toMatchObject({ ok: true, record: { value: bytes, key: undefined } });
    },
  );

  it.each([
    ['an object as value', { key: 'm', value: { a: 1 } }, { key: 'm', headers: {}, value: '{"a":1}' }],
    ['text as value', { key: 'm', value: '{"a": 1}' }, { key: 'm', headers: {}, value: '{"a": 1}' }],
    ['a tombstone', { key: 'm', value: null }, { key: 'm', headers: {}, value: null }],
    ['no key', { value: '' }, { key: null, headers: {}, value: '' }],
    ['a key that is no text', { key: 7, value: '' }, { key: '7', headers: {}, value: '' }],
    ['headers', { value: '', headers: { a: 'b', c: null } }, { key: null, value: '', headers: { a: ['b'], c: [] } }],
    ['kcat', { payload: 'x', headers: ['a', 'b', 'a', 'c'] }, { key: null, value: 'x', headers: { a: ['b', 'c'] } }],
    ['rpk', { value: 'x', headers: [{ key: 'a', value: 'b' }] }, { key: null, value: 'x', headers: { a: ['b'] } }],
  ])('is a record with %s', (_what, sample, record) => {
    expect(recordOf(sample)).toEqual(record);
  });

  it.each([
    [{ headers: {} }, 'value: missing; null stands for a tombstone'],
    [{ value: '', headers: 'a=b' }, 'headers: must be an object of texts'],
    [{ value: '', headers: { a: 1 } }, 'headers: must hold nothing but text'],
    [{ value: '', headers: { a: ['b', 1] } }, 'headers: must hold nothing but text'],
    [{ value: '', headers: [1, 'b'] }, 'headers: must have names that are text'],
    [{ value: '\ud800' }, 'value: lone surrogate'],
    [{ payload: '\ud800' }, 'payload: lone surrogate'],
    [{ value: '', headers: { a: '\ud800' } }, 'headers: must hold nothing but text'],
  ])('is no record when it is %j', (sample, detail) => {
    expect(recordOf(sample)).toBe(detail);
  });

  it('keeps the numbers of its value as they were written', () => {
    const value = '{"id":12345678901234567890,"list":[1e400,1.50],"__proto__":0}';
    const result = readRecord(Buffer.from(`{"key":"m","value":${value}}`));
    expect(result.ok && String(result.record.value)).toBe(value);
  });

  it.each([128, 5_000, 500_000])('may nest %d deep, and is refused', (depth) => {
    const bytes = Buffer.from(`{"value":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect(readRecord(bytes)).toEqual({ ok: false, detail: 'nested deeper than 128' });
  });

  it('cannot reach a prototype', () => {
    const bytes = Buffer.from('{"value":{"__proto__":{"a":1}},"headers":{"__proto__":"x"}}');
    const result = readRecord(bytes);
    expect(result.ok && Object.keys(result.record.headers)).toEqual(['__proto__']);
    expect(({} as { readonly a?: unknown }).a).toBeUndefined();
  });
});
