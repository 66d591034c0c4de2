import { recordFingerprint, type DeadLetter } from '#intents';
import {
  type DeadLetterValue,
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
  brokerAt: 1_000,
  reason: 'invalid',
  detail: 'data.total: required',
  key: Buffer.from('m_1'),
  value: Buffer.from('{"a":1}'),
  headersText: '{"ce_id":"e-1","X-Reason":"old","x-original-topic":"elsewhere","twice":["a","b"]}',
  isUnreadable: false,
};

const macKey = Buffer.alloc(32, 7);
const place = {
  'x-original-topic': 'loyalty.purchases',
  'x-original-partition': '3',
  'x-original-offset': '42',
  'x-reason': 'invalid',
};
const detail = { 'x-detail': 'data.total: required' };

const fingerprintOf = (record: DeadLetter): { 'x-fingerprint': string } => ({
  'x-fingerprint': recordFingerprint(record, macKey).toString('hex'),
});

function messageOf(record: DeadLetter, mode: DeadLetterValue): ReturnType<typeof toDeadLetterMessage> {
  return toDeadLetterMessage(record, { mode, macKey });
}

describe('a dead letter', () => {
  it('says where it came from and why, beside the original; its key is the quarantine id', () => {
    expect(messageOf(letter, 'original')).toEqual({
      key: '17',
      value: Buffer.from('{"a":1}'),
      headers: { ...place, ...fingerprintOf(letter), ...detail, ce_id: 'e-1', twice: ['a', 'b'] },
    });
  });

  it('brings the original headers back byte by byte; those without a value count as absent', () => {
    const headersText = '{"ce_id":{"base64":"Yf8="},"none":null,"last":["a",null],"first":[null,"b"]}';
    const { headers } = messageOf({ ...letter, headersText }, 'original');
    expect(headers).toEqual({
      ...place,
      ...fingerprintOf(letter),
      ...detail,
      ce_id: Buffer.from([0x61, 0xff]),
      first: ['b'],
    });
  });

  it('says only where it came from, why, and which record it is with `none`', () => {
    const headers = { ...place, ...fingerprintOf(letter) };
    expect(messageOf(letter, 'none')).toEqual({ key: '17', value: null, headers });
    expect(headers['x-fingerprint']).toMatch(/^[0-9a-f]{32}$/);
    expect(messageOf({ ...letter, isUnreadable: true }, 'none')).toEqual({ key: '17', value: null, headers: place });
  });

  it('has the fingerprint of its own record only, whatever the record says it has', () => {
    const other = { ...letter, value: Buffer.from('{"a":2}'), headersText: '{"X-Fingerprint":"old"}' };
    const { headers } = messageOf(other, 'original');
    expect(headers).toEqual({ ...place, ...fingerprintOf(other), ...detail });
    expect(fingerprintOf(other)).not.toEqual(fingerprintOf(letter));
  });

  it.each<[string, Partial<DeadLetter>]>([
    ['a value too large', { value: Buffer.alloc(deadLetterValueBytesMax + 1) }],
    ['headers too large', { headersText: JSON.stringify({ a: 'x'.repeat(deadLetterHeadersLengthMax) }) }],
    ['a part that no key opens', { isUnreadable: true }],
  ])('is truncated: %s', (_what, more) => {
    const cut = { ...letter, ...more };
    const fingerprint = cut.isUnreadable ? {} : fingerprintOf(cut);
    const headers = { ...place, ...fingerprint, ...detail, 'x-truncated': 'true' };
    expect(messageOf(cut, 'original')).toEqual({ key: '17', value: null, headers });
  });

  it('carries a value as large as allowed', () => {
    const value = Buffer.alloc(deadLetterValueBytesMax);
    expect(messageOf({ ...letter, value }, 'original').value).toEqual(value);
  });

  it('keeps its detail short', () => {
    const { headers } = messageOf({ ...letter, detail: 'x'.repeat(100_000) }, 'original');
    expect(headers?.['x-detail']).toHaveLength(deadLetterDetailLengthMax);
  });
});
