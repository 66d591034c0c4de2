import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

  it('keeps no more of what a wrapped key was read from than the key', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const keys = new MemberKeys(keyring, random);
    const poolBytes = 8_192;
    const lanes = 2_000;
    const learn = (lane: number): void => {
      const pool = Buffer.from(new ArrayBuffer(poolBytes));
      const { wrapped } = keys.create(lane);
      wrapped.copy(pool);
      keys.learn(lane, pool.subarray(0, wrapped.length));
    };
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (let lane = 1; lane <= lanes; lane += 1) learn(lane);
    // Array buffers are swept beside the program: the second collection waits for the end of the first.
    collectGarbage();
    collectGarbage();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan((lanes * poolBytes) / 10);
    expect(keys.sealFor({ laneId: 1, seq: 1 }, 'still known')).toBeInstanceOf(Buffer);
  });

  it('binds what it seals to lane and seq', () => {
    const keys = new MemberKeys(keyring, random);
    keys.learn(7, keys.create(7).wrapped);
    const sealed = keys.sealFor({ laneId: 7, seq: 1 }, 'evidence');
    expect(() => keys.openFor({ laneId: 7, seq: 2 }, sealed)).toThrow('sealed bytes do not open');
  });
});
