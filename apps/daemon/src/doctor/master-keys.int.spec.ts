import { readEnvironmentParts } from '#contracts';
import { SystemClock } from '#platform';
import { StandInVault } from '#test-support';

import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { checkMasterKeys } from './master-keys.js';

const key = Buffer.from([...Array(32).keys()]);

describe('the doctor on wrapped keys', () => {
  let vault: StandInVault;

  beforeEach(async () => {
    vault = await StandInVault.start();
  });

  afterEach(() => vault.stop());

  const examine = async (
    changes: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly findings: readonly Finding[]; readonly masterKeys: unknown }> => {
    const variables = { LOYALTYD_ENCRYPTION_KEY: vault.wrap('loyaltyd', key), ...vault.environment, ...changes };
    const { value: environment } = readEnvironmentParts(variables, { roles: [], readFile: () => '' });
    const opened: Given['opened'] = {};
    const findings = await checkMasterKeys({ environment, clock: new SystemClock(), opened } as unknown as Given);
    expect(JSON.stringify(findings)).not.toMatch(/hunter2|vault-token-planted|vault:v1/);
    return { findings, masterKeys: opened.masterKeys };
  };

  it('finds that they are opened', async () => {
    const { findings, masterKeys } = await examine();
    expect(findings).toEqual([expect.objectContaining({ state: 'ok', remedy: null })]);
    expect(findings[0]?.detail).toMatch(/^opened 1 keys in /);
    expect(masterKeys).toEqual([new Uint8Array(key)]);
  });

  it('has nothing to say where none is wrapped, or none can be read', async () => {
    const text = key.toString('base64');
    expect(await examine({ LOYALTYD_ENCRYPTION_KEY: text })).toEqual({
      findings: [],
      masterKeys: [new Uint8Array(key)],
    });
    expect(await examine({ LOYALTYD_ENCRYPTION_KEY: 'hunter2' })).toEqual({ findings: [], masterKeys: null });
  });

  it.each([
    ['sealed', {}, 'http-503', 'unsealed'],
    ['well', { VAULT_TOKEN: 'hunter2' }, 'http-403', 'policy of our token'],
    ['well', { VAULT_TRANSIT_KEY_NAME: 'other' }, 'http-400', 'VAULT_TRANSIT_KEY_NAME'],
  ] as const)('finds that they are not, and what to do: Vault is %s, with %j %s', async (mood, changes, ...told) => {
    const [detail, remedy] = told;
    vault.mood = mood;
    const { findings, masterKeys } = await examine(changes);
    expect(findings).toEqual([expect.objectContaining({ name: 'installation.vault', state: 'failed' })]);
    expect(findings[0]?.detail).toContain(detail);
    expect(findings[0]?.remedy).toContain(remedy);
    expect(masterKeys).toBeUndefined();
  });

  it('leaves it to the findings on variables where one is missing', async () => {
    const { findings } = await examine({ VAULT_TOKEN: '' });
    expect(findings).toEqual([expect.objectContaining({ state: 'skipped' })]);
  });
});
