import { Keyring, sealContext, SystemRandom } from '#platform';

import { MasterKeys, newKeyGraceMs } from './master-keys.js';

const [one, two, three] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const context = sealContext(['member:1']);
const random = new SystemRandom();

describe('master keys that change', () => {
  let now: number;
  let keyring: Keyring;
  let masters: MasterKeys;

  beforeEach(() => {
    now = 1_000;
    keyring = new Keyring([one]);
    masters = new MasterKeys(keyring, { monotonic: () => now }, [one]);
  });

  /** Which key wraps now. */
  const wrapping = (): readonly Uint8Array[] => {
    const { wrapped } = keyring.createDataKey(context, random);
    return [one, two, three].filter((key) => new Keyring([key]).isCurrent(wrapped));
  };

  it('open at once, and wrap only when every other process must know them, too', () => {
    const foreign = new Keyring([two]).createDataKey(context, random);
    masters.follow([two, one]);
    expect(Buffer.from(keyring.unwrap(foreign.wrapped, context))).toEqual(Buffer.from(foreign.key));
    expect(wrapping()).toEqual([one]);
    now += newKeyGraceMs - 1;
    masters.follow([two, one]);
    expect(wrapping()).toEqual([one]);
    now += 1;
    masters.follow([two, one]);
    expect(wrapping()).toEqual([two]);
  });

  it('wrap at once where they were known before, and where nothing else is left', () => {
    masters.follow([one, two]);
    now += newKeyGraceMs;
    masters.follow([two, one]);
    expect(wrapping()).toEqual([two]);
    masters.follow([three]);
    expect(wrapping()).toEqual([three]);
  });

  it('rest again when they were taken away and given back', () => {
    masters.follow([one, two]);
    now += newKeyGraceMs;
    masters.follow([one]);
    now += newKeyGraceMs;
    masters.follow([two, one]);
    expect(wrapping()).toEqual([one]);
    now += newKeyGraceMs;
    masters.follow([two, one]);
    expect(wrapping()).toEqual([two]);
  });

  it('are put back under the first one', () => {
    const { key, wrapped } = keyring.createDataKey(context, random);
    const both = new Keyring([two, one]);
    const again = both.rewrap(wrapped, context, random);
    expect([both.isCurrent(wrapped), both.isCurrent(again)]).toEqual([false, true]);
    expect(Buffer.from(new Keyring([two]).unwrap(again, context))).toEqual(Buffer.from(key));
    expect(() => new Keyring([three]).rewrap(wrapped, context, random)).toThrow('do not open');
  });
});
