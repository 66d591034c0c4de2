import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { testDatabase } from '#test-support';
import { startWalletSandbox } from '../sandbox/start-wallet-sandbox.js';
import type { Target } from '../run/target.js';

export interface ContractSandbox {
  readonly target: Target;
  stop(): Promise<void>;
}

/** What the sandbox takes for its client. */
export const sandboxAccess = { clientId: 'sandbox', clientSecret: 'sandbox', scope: 'admin' };

/** A freshly started sandbox on a database of its own. @param seed its default one where none is given */
export async function contractSandbox(seed?: object): Promise<ContractSandbox> {
  const database = await testDatabase({ migrate: false });
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-contract-'));
  const seedFile = join(folder, 'seed.yaml');
  if (seed !== undefined) await writeFile(seedFile, stringify(seed));
  const options = { databaseUrl: database.url, ...(seed === undefined ? {} : { seed: seedFile }) };
  const sandbox = await startWalletSandbox(options);
  return {
    target: { ...sandboxAccess, baseUrl: sandbox.baseUrl, authUrl: sandbox.authUrl, isSandbox: true },
    stop: async () => {
      await sandbox.stop();
      await Promise.all([database.dispose(), rm(folder, { recursive: true })]);
    },
  };
}
