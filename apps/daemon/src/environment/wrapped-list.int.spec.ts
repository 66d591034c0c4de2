import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openInstallation } from '#intents';
import { Keyring, SystemRandom } from '#platform';
import type { PostgresConnection } from '#platform';
import { StandInVault, testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';
import { createLogger } from '#platform';

import { postgresOf } from '../storage/storage.module.js';
import { KeyProvider, keyServiceOf } from './key-provider.js';
import { LiveEnvironment } from './live-environment.js';
import { opensAll } from './secrets.module.js';

const key = new Uint8Array(Array(32).keys());
const random = new SystemRandom();

/** The followed file of the encryption keys, where Vault has wrapped them. */
describe('a list of wrapped keys that changes while a process runs', () => {
  let vault: StandInVault;
  let test: TestDatabase;
  let connection: PostgresConnection;
  let folder: string;
  let live: LiveEnvironment;
  let provider: KeyProvider;

  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, name), text);
  };

  beforeEach(async () => {
    [vault, test] = await Promise.all([StandInVault.start(), testDatabase()]);
    folder = mkdtempSync(join(tmpdir(), 'loyaltyd-wrapped-'));
    write('keys', vault.wrap('loyaltyd', key));
    write('token', 'vault-token-planted\n');
    const opened = LiveEnvironment.open({
      LOYALTYD_ROLES: 'operations',
      DATABASE_URL: test.url,
      LOYALTYD_ENCRYPTION_KEY_FILE: join(folder, 'keys'),
      OPS_TOKENS: `test:admin:${'a'.repeat(64)}`,
      VAULT_ADDR: vault.address,
      VAULT_TRANSIT_KEY_NAME: 'loyaltyd',
      VAULT_TOKEN_FILE: join(folder, 'token'),
    });
    if (!opened.ok) throw new Error(opened.errors.join());
    ({ live } = opened);
    const { database } = live.current;
    if (database === null) throw new Error('no database');
    connection = postgresOf(database, createLogger({ level: 'silent', service: 'spec' }));
    await connection.connect();
    provider = new KeyProvider(keyServiceOf(live));
    const keyring = new Keyring(await provider.open(live.current.encryptionKeys ?? []));
    await openInstallation(connection.database, null, { keyring, random, now: Date.now() });
    live.guard(
      'LOYALTYD_ENCRYPTION_KEY_FILE',
      opensAll({ database: connection.database as never, random, keyProvider: provider }),
    );
  });

  afterEach(async () => {
    await connection.close();
    await Promise.all([vault.stop(), test.dispose()]);
    rmSync(folder, { recursive: true });
  });

  /** Looks twice, as a change counts only when it stays. */
  const look = async (): ReturnType<LiveEnvironment['look']> => (await live.look()) ?? live.look();
  const keysInForce = async (): Promise<readonly Uint8Array[]> => provider.open(live.current.encryptionKeys ?? []);

  it('has the new key opened once, and takes the list over', async () => {
    const newer = random.bytes(32);
    write('keys', `${vault.wrap('loyaltyd', newer)},${vault.wrap('loyaltyd', key)}`);
    expect((await look())?.changed).toEqual(['LOYALTYD_ENCRYPTION_KEY_FILE']);
    const asked = vault.asked.length;
    await vault.stop();
    expect((await keysInForce()).map((each) => Buffer.from(each))).toEqual(
      [newer, key].map((each) => Buffer.from(each)),
    );
    expect(vault.asked).toHaveLength(asked);
  });

  it('takes over what was wrapped anew, as the same key', async () => {
    vault.rotate('loyaltyd');
    const again = vault.wrap('loyaltyd', key);
    expect(again).toMatch(/^vault:v2:/);
    write('keys', again);
    expect((await look())?.changed).toEqual(['LOYALTYD_ENCRYPTION_KEY_FILE']);
    expect((await keysInForce()).map((each) => Buffer.from(each))).toEqual([Buffer.from(key)]);
  });

  it('goes on by what it has while Vault is sealed, says so, and asks again', async () => {
    vault.mood = 'sealed';
    write('keys', `${vault.wrap('loyaltyd', random.bytes(32))},${vault.wrap('loyaltyd', key)}`);
    expect(await look()).toEqual({
      changed: [],
      broken: new Map([
        ['LOYALTYD_ENCRYPTION_KEY_FILE', 'Vault cannot be used now (http-503: it is sealed, or no node is active)'],
      ]),
    });
    expect(await keysInForce()).toHaveLength(1);
    // The file stays as it is: only Vault changes.
    vault.mood = 'well';
    expect(await live.look()).toEqual({ changed: ['LOYALTYD_ENCRYPTION_KEY_FILE'], broken: new Map() });
    expect(await keysInForce()).toHaveLength(2);
  });

  it('asks by the token that is in force by then', async () => {
    vault.tokens.clear();
    vault.tokens.add('renewed');
    write('keys', `${vault.wrap('loyaltyd', random.bytes(32))},${vault.wrap('loyaltyd', key)}`);
    expect((await look())?.broken.get('LOYALTYD_ENCRYPTION_KEY_FILE')).toContain('http-403');
    write('token', 'renewed');
    const news = [await live.look().catch(() => null), await live.look(), await live.look()];
    expect(news.flatMap((each) => each?.changed ?? [])).toEqual(['VAULT_TOKEN_FILE', 'LOYALTYD_ENCRYPTION_KEY_FILE']);
  });

  it('does not take a list over that does not open the database', async () => {
    write('keys', vault.wrap('loyaltyd', random.bytes(32)));
    expect((await look())?.broken.get('LOYALTYD_ENCRYPTION_KEY_FILE')).toBe('none of these keys opens this database');
    expect(await keysInForce()).toHaveLength(1);
  });
});
