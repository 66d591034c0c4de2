import { Keyring, SystemRandom } from '#platform';

import { MemberKeys } from './member-keys.js';

const random = new SystemRandom();
const keyring = new Keyring([random.bytes(32)]);
const place = { column: 'intent.payload', laneId: 7, seq: 1 } as const;

describe('MemberKeys', () => {
  it('seals for a leased lane with the key that it was claimed with, whatever the cache has dropped since', () => {
    const { wrapped } = new MemberKeys(keyring, random).create(7);
    const delivery = new MemberKeys(keyring, random);
    const key = delivery.learn(7, wrapped);
    delivery.forget(7);
    const sealed = delivery.sealFor({ ...place, memberKey: key }, 'evidence');
    expect(delivery.openFor({ ...place, memberKey: key }, sealed)).toBe('evidence');
    expect(() => delivery.sealFor(place, 'evidence')).toThrow('the key of lane 7 has not been loaded');
  });

  it('takes a new key for a new key, whatever it remembers of the lane', () => {
    const keys = new MemberKeys(keyring, random);
    const [first, second] = [keys.create(7), keys.create(7)];
    expect(Buffer.from(keys.learn(7, first.wrapped))).toEqual(Buffer.from(first.key));
    expect(Buffer.from(keys.learn(7, second.wrapped))).toEqual(Buffer.from(second.key));
    expect(Buffer.from(keys.learn(7, first.wrapped))).toEqual(Buffer.from(first.key));
  });

  // What comes from the database is a window on 8 KiB of Node's buffer pool: each key would keep all of them alive.
  it('keeps no more of what a wrapped key was read from than the key', () => {
    const keys = new MemberKeys(keyring, random);
    const { wrapped } = keys.create(7);
    const pool = Buffer.alloc(8_192);
    wrapped.copy(pool);
    const key = keys.learn(7, pool.subarray(0, wrapped.length));
    expect(key.buffer.byteLength).toBe(key.length);
    // The pool is written to anew: what is remembered is of its own.
    pool.fill(0);
    expect(keys.learn(7, wrapped)).toBe(key);
  });
});
