import { Keyring, SystemRandom } from '#platform';

import {
  MemberKeys,
  openPayload,
  openSourceEvent,
  openTracedPayload,
  openWhole,
  sealPayload,
  sourceEventText,
} from './member-keys.js';

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const keys = new MemberKeys(new Keyring([new Uint8Array(32).fill(7)]), new SystemRandom());
const place = { laneId: 1, seq: 1, key: new Uint8Array(32).fill(9) };
const record = { headers: '{"x":"y"}', value: '{"id":"1"}' };

function sealed(of: { readonly value: string; readonly traceparent: string | null }): Buffer {
  const { value } = of;
  const sourceEvent = sourceEventText({ headers: record.headers, value, traceparent: of.traceparent });
  return sealPayload(keys, place, { command: '{"operation":"reward"}', sourceEvent });
}

describe('the trace of an intent', () => {
  it('is kept before the source event and found there', () => {
    const payload = sealed({ value: record.value, traceparent });
    const command = { operation: 'reward' };
    expect(openTracedPayload(keys, place, payload)).toEqual({ command, traceparent });
    expect(openWhole(keys, place, payload)).toEqual({ command, traceparent, sourceRecord: record });
    expect(openSourceEvent(keys, place, payload)).toEqual(record);
    expect(openPayload(keys, place, payload)).toEqual(command);
  });

  it('is none where there is none', () => {
    const payload = sealed({ value: record.value, traceparent: null });
    expect(openTracedPayload(keys, place, payload).traceparent).toBeNull();
  });

  it.each([
    `x","traceparent":"${traceparent}"}`,
    `{"traceparent":"${traceparent}"}`,
    `,"traceparent":"${traceparent}`,
    `\n${traceparent}\n{}\n`,
  ])('is nothing that a producer wrote into its event: %s', (value) => {
    expect(openTracedPayload(keys, place, sealed({ value, traceparent: null })).traceparent).toBeNull();
  });
});

describe('the source event of an intent', () => {
  it.each(['', '\n', 'a\nb\n\n', '{"id":"\\n"}', '\u2028 Zo\u00eb \ud83d\ude00'])(
    'comes back as it came: %j',
    (value) => {
      expect(openSourceEvent(keys, place, sealed({ value, traceparent: null })).value).toBe(value);
      expect(openWhole(keys, place, sealed({ value, traceparent })).sourceRecord).toEqual({ ...record, value });
    },
  );

  it('takes no more room than its bytes', () => {
    const quotes = '"'.repeat(100);
    const more = sealed({ value: quotes, traceparent: null }).length - sealed({ value: '', traceparent: null }).length;
    expect(more).toBe(quotes.length);
  });
});
