import { readFileSync } from 'node:fs';

import type { EncryptionKey, Environment } from '#contracts';
import { readEnvironment } from '#contracts';
import type { KeyService } from '#platform';
import { KeyServiceRefusedError } from '#platform';

import { keyServiceOf } from '../environment/key-provider.js';
import { errorText, exitError, exitOk, exitUsage, reportFailure, startProblems } from '../lifecycle/exits.js';

/** Asks the configured key service, once. @returns the exit code */
async function askKeyService(
  env: NodeJS.ProcessEnv,
  ask: (service: KeyService, environment: Environment) => Promise<string>,
): Promise<number> {
  const read = readEnvironment(env, { roles: [], readFile: (path) => readFileSync(path, 'utf8') });
  if (!read.ok) return reportFailure(read.errors, exitUsage);
  const service = keyServiceOf({ current: read.value });
  if (service === null) {
    return reportFailure(['VAULT_TRANSIT_KEY_NAME: must be set, and VAULT_ADDR and a token with it'], exitUsage);
  }
  try {
    process.stdout.write(`${await ask(service, read.value)}\n`);
    return exitOk;
  } catch (error) {
    const problems = startProblems(error);
    return problems === null ? reportFailure([errorText(error)], exitError) : reportFailure(problems, exitUsage);
  }
}

/**
 * `loyaltyd make-key`: prints a new encryption key, wrapped by the key service, which made it: no person and no machine but those
 * of the daemons ever has the key itself.
 * @returns the exit code: 2 where the service refuses
 */
export async function runMakeKey(env: NodeJS.ProcessEnv): Promise<number> {
  return askKeyService(env, (service) => service.makeWrapped());
}

/**
 * `loyaltyd rewrap-keys`: prints the list of `LOYALTYD_ENCRYPTION_KEY` with each key wrapped by the newest version of the key
 * service's own. The keys stay what they are: nothing in the database changes.
 * @returns the exit code: 2 where the service refuses, or there is a key that is not wrapped
 */
export async function runRewrapKeys(env: NodeJS.ProcessEnv): Promise<number> {
  return askKeyService(env, async (service, { encryptionKeys }) => {
    const list: string[] = [];
    for (const wrapped of wrappedTexts(encryptionKeys ?? [])) list.push(await service.rewrap(wrapped));
    return list.join(',');
  });
}

/** @throws {KeyServiceRefusedError} where there is nothing to wrap anew, or a key that would have to be printed */
function wrappedTexts(keys: readonly EncryptionKey[]): readonly string[] {
  if (keys.length === 0) throw new KeyServiceRefusedError('LOYALTYD_ENCRYPTION_KEY: must be set');
  return keys.map((key, index) => {
    if (!(key instanceof Uint8Array)) return key.wrapped;
    throw new KeyServiceRefusedError(
      `LOYALTYD_ENCRYPTION_KEY: key ${index + 1} of the list is not wrapped: take it out by a rotation first`,
    );
  });
}
