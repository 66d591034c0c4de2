import { KeyServiceAwayError, KeyServiceRefusedError } from '#platform';

import { KeyProvider, keyServiceOf } from '../environment/key-provider.js';
import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { durationText, failed, ok, skipped } from './finding.js';

const vaultName = 'installation.vault';

export const vaultRemedy =
  'What runs goes on by the keys that it has, but no process starts. Is Vault up and unsealed, and does VAULT_ADDR lead to it ' +
  '(an authority of your own: VAULT_CA_FILE)? Try it by hand: curl VAULT_ADDR/v1/sys/health';
const refusedRemedy =
  'What runs goes on by the keys that it has, but no process starts. Check VAULT_TRANSIT_KEY_NAME, VAULT_TRANSIT_MOUNT, ' +
  'VAULT_TRANSIT_CONTEXT and VAULT_NAMESPACE, and that the policy of our token lets it update transit/decrypt/NAME.';

/** The keys of `LOYALTYD_ENCRYPTION_KEY`, opened by Vault where they are wrapped. */
export async function checkMasterKeys({ environment, clock, opened }: Given): Promise<readonly Finding[]> {
  const { encryptionKeys, vault } = environment;
  const wrapped = encryptionKeys?.filter((key) => !(key instanceof Uint8Array)).length ?? 0;
  if (wrapped > 0 && vault === null) return [skipped(vaultName, 'a variable of Vault is missing or wrong')];
  const startedAt = clock.monotonic();
  try {
    const service = keyServiceOf({ current: environment });
    opened.masterKeys = encryptionKeys && (await new KeyProvider(service).open(encryptionKeys));
  } catch (error) {
    return [failure(error)];
  }
  if (wrapped === 0) return [];
  return [ok(vaultName, `opened ${wrapped} keys in ${durationText(clock.monotonic() - startedAt)}`)];
}

/** @throws what the key service did not */
function failure(error: unknown): Finding {
  if (error instanceof KeyServiceAwayError) return failed(vaultName, { detail: error.message, remedy: vaultRemedy });
  if (error instanceof KeyServiceRefusedError) {
    return failed(vaultName, { detail: error.message, remedy: refusedRemedy });
  }
  throw error;
}
