import { waitUntil } from '#embedded';
import { StandInVault } from '#test-support';

import type { Harness } from './harness.js';
import { encryptionKey, MountedSecrets, openHarness } from './harness.js';
import { runProgram } from './loyaltyd.js';
import { readLedger } from './partner.js';
import { awaitRest } from './store.js';
import { enrolled, produce, purchased } from './traffic.js';

const patience = { timeoutMs: 60_000 };

/** An installation whose encryption keys only a Vault opens: a stand-in that speaks its protocol. */
describe('encryption keys that Vault has wrapped', () => {
  let harness: Harness;
  let vault: StandInVault;
  let secrets: MountedSecrets;
  let said = '';

  const environment = (): Record<string, string> => ({
    ...vault.environment,
    VAULT_TOKEN: '',
    VAULT_TOKEN_FILE: secrets.path('token'),
    LOYALTYD_ENCRYPTION_KEY: '',
    LOYALTYD_ENCRYPTION_KEY_FILE: secrets.path('keys'),
  });
  /** Runs a command to its end. */
  const run = async (
    changes: Readonly<Record<string, string>>,
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> => {
    const end = await runProgram({ ...harness.environment, ...environment(), ...changes }, ...words);
    said += end.stderr;
    return end;
  };

  beforeAll(async () => {
    [harness, vault] = await Promise.all([openHarness(), StandInVault.start()]);
    secrets = await MountedSecrets.mount({ token: vault.environment['VAULT_TOKEN'] ?? '', keys: 'none yet' });
  });

  afterAll(async () => {
    await harness.close();
    await vault.stop();
    await secrets.unmount();
  });

  it('are made by Vault, open a start that waited for it, and need it no more', async () => {
    const made = await run({ LOYALTYD_ENCRYPTION_KEY_FILE: '' }, 'make-key');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^vault:v1:\S+\n$/) as string });
    await secrets.change({ keys: made.stdout });
    vault.mood = 'sealed';
    const before = vault.asked.length;
    const starting = harness.startDaemon(environment());
    await waitUntil(() => vault.asked.length > before + 1, { what: 'a start to ask again', ...patience });
    vault.mood = 'well';
    const daemon = await starting;
    expect(daemon.stderr()).toContain('the key service cannot be used yet');

    await vault.stop();
    await produce(harness.broker, harness.topics, [enrolled('m-1'), purchased('m-1', 'p-1')]);
    await awaitRest(harness.database.url, 2);
    expect(await readLedger(harness.sandboxUrl)).toHaveLength(2);
    await vault.listen();
  });

  it('are wrapped by a newer version of the key in Vault without a restart, after which the older may go', async () => {
    vault.rotate('loyaltyd');
    const again = await run({}, 'rewrap-keys');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^vault:v2:\S+\n$/) as string });
    await secrets.change({ keys: again.stdout });
    const isTaken = (): boolean => harness.output().includes('files of secrets and certificates read again');
    await waitUntil(isTaken, { what: 'the list to be taken over', ...patience });
    vault.forbidBelow('loyaltyd', 2);
    expect(await run({}, 'rotate-keys')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no other encryption key is needed any more') as string,
    });
  });

  it.each([
    ['our token', { VAULT_TOKEN_FILE: '', VAULT_TOKEN: 'another' }, 'Vault refuses us (http-403)'],
    ['the key', { VAULT_TRANSIT_KEY_NAME: 'another' }, 'Vault refuses the key (http-400)'],
  ])('end a start at once where Vault refuses %s, and say why', async (_what, changes, why) => {
    const { code, stderr } = await run(changes, 'start');
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  it('are never printed as text', async () => {
    const mixed = { LOYALTYD_ENCRYPTION_KEY_FILE: '', LOYALTYD_ENCRYPTION_KEY: encryptionKey };
    const { code, stdout, stderr } = await run(mixed, 'rewrap-keys');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('key 1 of the list is not wrapped')]);
    expect(await run({ VAULT_TRANSIT_KEY_NAME: '', LOYALTYD_ENCRYPTION_KEY_FILE: '' }, 'make-key')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('VAULT_TRANSIT_KEY_NAME: must be set') as string,
    });
  });

  it('and the token stand in nothing that is said', () => {
    expect(vault.opened.size).toBe(1);
    for (const secret of [...vault.tokens, ...vault.opened]) expect(`${said}${harness.output()}`).not.toContain(secret);
  });
});
