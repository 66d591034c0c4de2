import { TokenSigner, type TokenSettings } from './token-signer.js';

const settings: TokenSettings = {
  clientId: 'shop',
  clientSecret: 'geheim',
  scope: null,
  ttlS: 60,
  signingKey: Buffer.alloc(32, 1),
};
const issuedAt = Date.UTC(2026, 10, 21);

describe('TokenSigner', () => {
  it('accepts its token until it expires', () => {
    const signer = new TokenSigner(settings);
    const token = signer.issue(issuedAt);
    expect(signer.accepts(token, issuedAt + 59_999)).toBe(true);
    expect(signer.accepts(token, issuedAt + 60_000)).toBe(false);
  });

  it.each([
    [1, 1],
    [3_600, 60],
    [0, 60],
    [-1, 60],
    [NaN, 60],
  ])('gives a token of %j seconds for %j', (asked, given) => {
    const signer = new TokenSigner(settings);
    expect(signer.lifetimeS(asked)).toBe(given);
    const token = signer.issue(issuedAt, given);
    expect([given * 1_000 - 1, given * 1_000].map((ms) => signer.accepts(token, issuedAt + ms))).toEqual([true, false]);
  });

  it('allows its scope alone, and any where it has none', () => {
    const strict = new TokenSigner({ ...settings, scope: 'admin' });
    expect([strict.allows('admin'), strict.allows('user'), strict.allows(undefined)]).toEqual([true, false, false]);
    expect(new TokenSigner(settings).allows('user')).toBe(true);
  });

  it('accepts the token of a process before it with the same key', () => {
    const token = new TokenSigner(settings).issue(issuedAt);
    expect(new TokenSigner(settings).accepts(token, issuedAt)).toBe(true);
  });

  it.each([
    ['of another key', new TokenSigner({ ...settings, signingKey: Buffer.alloc(32, 2) }).issue(issuedAt)],
    ['of another client', new TokenSigner({ ...settings, clientId: 'other' }).issue(issuedAt)],
    ['without a signature', new TokenSigner(settings).issue(issuedAt).split('.')[0] ?? ''],
    ['with something behind it', `${new TokenSigner(settings).issue(issuedAt)}.x`],
    ['made up', 'abc.def'],
    ['empty', ''],
  ])('refuses a token %s', (_name, token) => {
    expect(new TokenSigner(settings).accepts(token, issuedAt)).toBe(false);
  });

  it('takes nothing of the secret before, once there is another', () => {
    const signer = new TokenSigner(settings);
    const token = signer.issue(issuedAt);
    expect(signer.accepts(token, issuedAt)).toBe(true);
    signer.rotate('noch geheimer');
    expect([signer.knows('shop', 'geheim'), signer.knows('shop', 'noch geheimer')]).toEqual([false, true]);
    expect([signer.accepts(token, issuedAt), signer.accepts(signer.issue(issuedAt), issuedAt)]).toEqual([false, true]);
  });

  it('never issues the same token twice', () => {
    const signer = new TokenSigner(settings);
    expect(signer.issue(issuedAt)).not.toBe(signer.issue(issuedAt));
  });
});
