import { createHash, createHmac } from 'node:crypto';

import fc from 'fast-check';

import { digest, digestBytes, keyedDigest } from './digests.js';

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  // Around the length from which on Node's own HMAC is used.
  fc.integer({ min: 5_400, max: 5_500 }).map((length) => '€'.repeat(length)),
);

describe('digests', () => {
  it('are the first half of SHA-256', () => {
    const property = fc.property(texts, (text) => {
      expect(digest(text)).toEqual(createHash('sha256').update(text).digest().subarray(0, digestBytes));
    });
    fc.assert(property);
  });

  it('are, with a key, the first half of HMAC-SHA-256', () => {
    const keys = fc.uint8Array({ minLength: 1, maxLength: 80 });
    const property = fc.property(keys, texts, (key, text) => {
      expect(keyedDigest(key, text)).toEqual(createHmac('sha256', key).update(text).digest().subarray(0, digestBytes));
    });
    fc.assert(property);
  });

  it('do not depend on what was digested before', () => {
    const key = new Uint8Array(32).fill(7);
    const first = keyedDigest(key, 'a');
    keyedDigest(key, 'something longer');
    expect(keyedDigest(key, 'a')).toEqual(first);
  });
});
