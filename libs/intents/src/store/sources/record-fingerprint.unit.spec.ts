import { constants } from 'node:buffer';

import { keyedDigest } from '#platform';

import { recordFingerprint } from './record-fingerprint.js';

const macKey = Buffer.alloc(32, 7);

describe('the fingerprint of a record', () => {
  it('is the digest that is stored since the first release', () => {
    for (const length of [0, 1, 2, 3, 100, 48 * 1024, 48 * 1024 + 1, 200_000]) {
      const value = Buffer.from(Array.from({ length }, (_, at) => (at * 31) % 251));
      const text = `record 7 1000 ${Buffer.from('m-1').toString('base64')} ${value.toString('base64')}`;
      const record = { offset: 7, brokerAt: 1_000, key: Buffer.from('m-1'), value };
      expect(recordFingerprint(record, macKey)).toEqual(keyedDigest(macKey, text));
    }
    const nothing = { offset: 7, brokerAt: 1_000, key: null, value: null };
    expect(recordFingerprint(nothing, macKey)).toEqual(keyedDigest(macKey, 'record 7 1000 - -'));
  });

  // The one record to blame is found by halving, and set aside alone: had it no fingerprint even then, that would never end.
  it('is there for a value that no text can hold, so that halving ends', () => {
    const value = Buffer.alloc(Math.ceil((constants.MAX_STRING_LENGTH * 3) / 4) + 3);
    expect(() => value.toString('base64')).toThrow();
    expect(recordFingerprint({ offset: 0, brokerAt: 0, key: null, value }, macKey)).toHaveLength(16);
  });
});
