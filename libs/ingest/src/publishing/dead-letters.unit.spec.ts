import type { DeadLetter } from '#intents';
import {
  deadLetterDetailLengthMax,
  deadLetterHeadersLengthMax,
  deadLetterValueBytesMax,
  toDeadLetterMessage,
} from './dead-letters.js';

const letter: DeadLetter = {
  quarantineId: 17,
  topic: 'loyalty.purchases',
  partition: 3,
  lastOffset: null,
  offset: 42,
  reason: 'invalid',
  detail: 'data.total: required',
  key: Buffer.from('m_1'),
  value: Buffer.from('{"a":1}'),
  headersText: '{"ce_id":"e-1","X-Reason":"old","x-original-topic":"elsewhere","twice":["a","b"]}',
  isUnreadable: false,
};

const origin = {
  'x-original-topic': 'loyalty.purchases',
  'x-original-partition': '3',
  'x-original-offset': '42',
  'x-reason': 'invalid',
  'x-detail': 'data.total: required',
};

describe('a dead letter', () => {
  it('says where it came from and why, beside the original; its key is the quarantine id', () => {
    expect(toDeadLetterMessage(letter, 'original')).toEqual({
      key: '17',
      value: Buffer.from('{"a":1}'),
      headers: { ...origin, ce_id: 'e-1', twice: ['a', 'b'] },
    });
  });

  it('brings the original headers back byte by byte; those without a value count as absent', () => {
    const headersText = '{"ce_id":{"base64":"Yf8="},"none":null,"last":["a",null],"first":[null,"b"]}';
    const { headers } = toDeadLetterMessage({ ...letter, headersText }, 'original');
    expect(headers).toEqual({ ...origin, ce_id: Buffer.from([0x61, 0xff]), first: ['b'] });
  });

  it('says only that with `none`', () => {
    expect(toDeadLetterMessage(letter, 'none')).toEqual({ key: '17', value: null, headers: origin });
  });

  it.each<[string, Partial<DeadLetter>]>([
    ['a value too large', { value: Buffer.alloc(deadLetterValueBytesMax + 1) }],
    ['headers too large', { headersText: JSON.stringify({ a: 'x'.repeat(deadLetterHeadersLengthMax) }) }],
    ['a part that no key opens', { isUnreadable: true }],
  ])('is truncated: %s', (_what, more) => {
    const message = toDeadLetterMessage({ ...letter, ...more }, 'original');
    expect(message).toEqual({ key: '17', value: null, headers: { ...origin, 'x-truncated': 'true' } });
  });

  it('carries a value as large as allowed', () => {
    const value = Buffer.alloc(deadLetterValueBytesMax);
    expect(toDeadLetterMessage({ ...letter, value }, 'original').value).toEqual(value);
  });

  it('keeps its detail short', () => {
    const { headers } = toDeadLetterMessage({ ...letter, detail: 'x'.repeat(100_000) }, 'none');
    expect(headers?.['x-detail']).toHaveLength(deadLetterDetailLengthMax);
  });
});
