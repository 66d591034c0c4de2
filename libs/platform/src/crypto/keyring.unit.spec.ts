import { SystemRandom } from '../random.js';
import { Keyring, MasterKeyMissingError } from './keyring.js';
import { SealBrokenError } from './seal.js';
import { sealContext } from './seal-context.js';

const random = new SystemRandom();
const context = sealContext(['lane 7']);

describe('Keyring', () => {
  it('unwraps what an older master key wrapped, after rotation', () => {
    const older = random.bytes(32);
    const { key: dataKey, wrapped } = new Keyring([older]).createDataKey(context, random);
    const rotated = new Keyring([random.bytes(32), older]);
    expect(Buffer.from(rotated.unwrap(wrapped, context)).equals(Buffer.from(dataKey))).toBe(true);
  });

  it('wraps anew by its first key what another one wrapped, and says which did', () => {
    const [older, newer] = [random.bytes(32), random.bytes(32)];
    const { key: dataKey, wrapped } = new Keyring([older]).createDataKey(context, random);
    const rotated = new Keyring([newer, older]);
    expect(rotated.isCurrent(wrapped)).toBe(false);
    const again = rotated.rewrap(wrapped, context, random);
    expect(rotated.isCurrent(again)).toBe(true);
    expect(Buffer.from(new Keyring([newer]).unwrap(again, context))).toEqual(Buffer.from(dataKey));
    expect(rotated.ids).toEqual([...new Keyring([newer]).ids, ...new Keyring([older]).ids]);
  });

  it('gives a key that keeps no more memory than its own', () => {
    const keyring = new Keyring([random.bytes(32)]);
    const { wrapped } = keyring.createDataKey(context, random);
    expect(keyring.unwrap(wrapped, context).buffer.byteLength).toBe(32);
  });

  it('refuses a key wrapped by an unknown master key', () => {
    const { wrapped } = new Keyring([random.bytes(32)]).createDataKey(context, random);
    expect(() => new Keyring([random.bytes(32)]).unwrap(wrapped, context)).toThrow(MasterKeyMissingError);
    expect(new MasterKeyMissingError()).toBeInstanceOf(SealBrokenError);
  });

  it('refuses keys of another length', () => {
    expect(() => new Keyring([random.bytes(16)])).toThrow(RangeError);
    expect(() => new Keyring([])).toThrow(RangeError);
  });
});
