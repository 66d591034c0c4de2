import { Keyring, SystemRandom } from '#platform';

import { MemberKeys } from './member-keys.js';

const random = new SystemRandom();
const keyring = new Keyring([random.bytes(32)]);

describe('MemberKeys', () => {
  it('seals for a leased lane with the key that it was claimed with, whatever the cache has dropped since', () => {
    const { wrapped } = new MemberKeys(keyring, random).create(7);
    const delivery = new MemberKeys(keyring, random);
    const key = delivery.learn(7, wrapped);
    delivery.forget(7);
    const sealed = delivery.sealFor({ laneId: 7, seq: 1, key }, 'evidence');
    expect(delivery.openFor({ laneId: 7, seq: 1, key }, sealed)).toBe('evidence');
    expect(() => delivery.sealFor({ laneId: 7, seq: 1 }, 'evidence')).toThrow('the key of lane 7 has not been loaded');
  });

  it('takes a new key for a new key, whatever it remembers of the lane', () => {
    const keys = new MemberKeys(keyring, random);
    const [first, second] = [keys.create(7), keys.create(7)];
    expect(Buffer.from(keys.learn(7, first.wrapped))).toEqual(Buffer.from(first.key));
    expect(Buffer.from(keys.learn(7, second.wrapped))).toEqual(Buffer.from(second.key));
    expect(Buffer.from(keys.learn(7, first.wrapped))).toEqual(Buffer.from(first.key));
  });

  it('binds what it seals to lane and seq', () => {
    const keys = new MemberKeys(keyring, random);
    keys.learn(7, keys.create(7).wrapped);
    const sealed = keys.sealFor({ laneId: 7, seq: 1 }, 'evidence');
    expect(() => keys.openFor({ laneId: 7, seq: 2 }, sealed)).toThrow('sealed bytes do not open');
  });
});
