import fc from 'fast-check';

import { createTestAuthority, StandInVault } from '#test-support';

import { KeyServiceAwayError, KeyServiceRefusedError } from './key-service.js';
import type { VaultSettings } from './vault-transit.js';
import { VaultTransit } from './vault-transit.js';

const token = 'vault-token-planted';

describe("Vault's transit engine", () => {
  let vault: StandInVault;

  beforeEach(async () => {
    vault = await StandInVault.start();
  });

  afterEach(async () => {
    await vault.stop();
  });

  const transit = (own: Partial<VaultSettings> = {}): VaultTransit => {
    const settings: VaultSettings = {
      address: vault.address,
      namespace: null,
      mount: 'transit',
      keyName: 'loyaltyd',
      context: null,
      login: { kind: 'token', token },
      ca: null,
      timeoutMs: 10_000,
      ...own,
    };
    return new VaultTransit(() => settings);
  };
  /** How opening a key ends. */
  const failure = async (own: Partial<VaultSettings> = {}): Promise<Error> => {
    const wrapped = vault.wrap('loyaltyd', Buffer.alloc(32, 7));
    const error: unknown = await transit(own)
      .unwrap(wrapped)
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof Error)) throw new TypeError('it was opened');
    expect(error.message).not.toContain(token);
    expect(error.message).not.toContain(wrapped);
    return error;
  };

  it('makes a key that only it opens, and opens it', async () => {
    const wrapped = await transit().makeWrapped();
    expect(wrapped).toMatch(/^vault:v1:/);
    expect((await transit().unwrap(wrapped)).length).toBe(32);
    expect(await transit().unwrap(vault.wrap('loyaltyd', Buffer.alloc(32, 7)))).toEqual(new Uint8Array(32).fill(7));
    // The key itself never came back where one was made.
    expect(vault.asked[0]).toEqual({ path: '/v1/transit/datakey/wrapped/loyaltyd', namespace: null });
  });

  it('wraps the same key by its newest version, after which the older may go', async () => {
    const wrapped = await transit().makeWrapped();
    const plain = await transit().unwrap(wrapped);
    vault.rotate('loyaltyd');
    const again = await transit().rewrap(wrapped);
    vault.forbidBelow('loyaltyd', 2);
    expect(again).toMatch(/^vault:v2:/);
    expect(await transit().unwrap(again)).toEqual(plain);
    await expect(transit().unwrap(wrapped)).rejects.toThrow('a version below its min_decryption_version');
  });

  it('derives the key from a context, and opens by no other', async () => {
    vault.addKey('derived', true);
    const own = { keyName: 'derived', context: 'shop' };
    const wrapped = await transit(own).makeWrapped();
    expect((await transit(own).unwrap(wrapped)).length).toBe(32);
    await expect(transit({ ...own, context: 'other' }).unwrap(wrapped)).rejects.toThrow(KeyServiceRefusedError);
    await expect(transit({ ...own, context: null }).unwrap(wrapped)).rejects.toThrow(KeyServiceRefusedError);
  });

  it('names the namespace in each request', async () => {
    await transit({ namespace: 'shop/eu' }).makeWrapped();
    expect(vault.asked.map(({ namespace }) => namespace)).toEqual(['shop/eu']);
  });

  it('logs in as a service account of Kubernetes', async () => {
    vault.accounts.set('jwt-of-the-pod', 'loyaltyd');
    const login = { kind: 'kubernetes', mount: 'kubernetes', role: 'loyaltyd', jwt: 'jwt-of-the-pod' } as const;
    const wrapped = await transit({ login }).makeWrapped();
    expect((await transit({ login }).unwrap(wrapped)).length).toBe(32);
    await expect(transit({ login: { ...login, jwt: 'another' } }).unwrap(wrapped)).rejects.toThrow('http-403');
    await expect(transit({ login: { ...login, role: 'other' } }).unwrap(wrapped)).rejects.toThrow('knows no such role');
  });

  it('is believed only by the authority that is configured', async () => {
    const authority = createTestAuthority();
    const secured = await StandInVault.start(authority.issue({ hosts: ['127.0.0.1'] }));
    const { address } = secured;
    try {
      expect(await transit({ address, ca: authority.certificate }).makeWrapped()).toMatch(/^vault:v1:/);
      const stranger = createTestAuthority().certificate;
      await expect(transit({ address, ca: stranger }).makeWrapped()).rejects.toThrow(KeyServiceAwayError);
      await expect(transit({ address }).makeWrapped()).rejects.toThrow(KeyServiceAwayError);
      expect(secured.asked).toHaveLength(1);
    } finally {
      await secured.stop();
    }
  });

  it.each([
    ['another token', { login: { kind: 'token', token: 'another' } as const }, 'http-403'],
    ['no such mount', { mount: 'elsewhere' }, 'http-404'],
    ['no such key', { keyName: 'another' }, 'http-400'],
  ])('that refuses is no matter of waiting: %s', async (_what, own, code) => {
    const error = await failure(own);
    expect(error).toBeInstanceOf(KeyServiceRefusedError);
    expect(error.message).toContain(code);
  });

  it.each([
    ['sealed', 'http-503: it is sealed, or no node is active'],
    ['behind', 'http-412'],
    ['garbage', 'answer-unreadable'],
    ['endless', 'answer-unreadable'],
    ['elsewhere', 'http-307'],
  ] as const)('that is %s may be asked again', async (mood, why) => {
    vault.mood = mood;
    const error = await failure();
    expect(error).toBeInstanceOf(KeyServiceAwayError);
    expect(error.message).toContain(why);
    // Whatever it answered, the token went nowhere else.
    expect(vault.asked).toHaveLength(1);
  });

  it('that answers whatever it likes is refused or asked again, and is not quoted', async () => {
    const secret = 'quoted-by-nobody';
    const body = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom(
        `{"data":{"plaintext":["${secret}"]}}`,
        `{"data":"${secret}"}`,
        '{"data":{"plaintext":""}}',
        'null',
        `${'['.repeat(30_000)}"${secret}"`,
      ),
    );
    const status = fc.constantFrom(200, 201, 204, 301, 400, 401, 403, 404, 405, 412, 413, 429, 472, 500, 502, 503);
    const asked = fc.asyncProperty(status, body, async (code, text) => {
      vault.reply = { status: code, text };
      const error = await failure();
      expect(error instanceof KeyServiceRefusedError || error instanceof KeyServiceAwayError).toBe(true);
      expect(error.message).not.toContain(secret);
    });
    await fc.assert(asked, { numRuns: 300 });
  });

  it('that says nothing, or is not there, is given up in time and may be asked again', async () => {
    vault.mood = 'silent';
    expect((await failure({ timeoutMs: 100 })).message).toBe('Vault cannot be used now (timeout)');
    await vault.stop();
    expect((await failure()).message).toBe('Vault cannot be used now (ECONNREFUSED)');
  });
});
