import { SystemRandom } from '../random.js';
import { Keyring, MasterKeyMissingError, seal, SealBrokenError, unseal } from './keyring.js';
import { sealContext } from './seal-context.js';

const random = new SystemRandom();
const key = random.bytes(32);
const context = sealContext(['lane 7']);

describe('sealing', () => {
  it('opens with the same key and context', () => {
    const sealed = seal({ key, plain: 'Ada ☕', context }, random);
    expect(unseal({ key, sealed, context }).toString('utf8')).toBe('Ada ☕');
    expect(sealed.includes(Buffer.from('Ada'))).toBe(false);
  });

  it.each([
    ['another key', { key: random.bytes(32), context }],
    ['another context', { key, context: sealContext(['lane 8']) }],
  ])('refuses %s', (_name, change) => {
    const sealed = seal({ key, plain: 'Ada', context }, random);
    expect(() => unseal({ sealed, ...change })).toThrow(SealBrokenError);
  });

  it('refuses a changed byte and a short text', () => {
    const sealed = seal({ key, plain: 'Ada', context }, random);
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    expect(() => unseal({ key, sealed, context })).toThrow(SealBrokenError);
    expect(() => unseal({ key, sealed: sealed.subarray(0, 20), context })).toThrow(SealBrokenError);
  });
});

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
