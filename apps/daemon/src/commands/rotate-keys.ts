import { userInfo } from 'node:os';

import type { KeyRotation } from '#intents';
import { rotateKeys } from '#intents';
import { Keyring, SystemRandom } from '#platform';

import { masterKeysOf } from '../environment/key-provider.js';
import { reportFailure, exitOk, exitSomeFailed } from '../lifecycle/exits.js';
import { requireSchema } from '../storage/schema.js';
import { databaseCommand } from './database-command.js';

function printReport({ members, rewrapped, left, unopened, behind }: KeyRotation): number {
  process.stdout.write(`wrapped ${rewrapped} keys by the first encryption key; ${members} members were looked at\n`);
  const problems = [
    ...(left > 0
      ? [
          `${left} keys came meanwhile from a process that wraps by another key: ask again in five minutes, or restart it`,
        ]
      : []),
    ...(behind.length > 0
      ? [
          `${behind.join(', ')} wrap new keys by another key still: before that is taken away, ask again in five minutes, or restart them`,
        ]
      : []),
    ...(unopened > 0
      ? [`${unopened} keys are opened by none of the encryption keys: keep looking for the one they need`]
      : []),
  ];
  if (problems.length > 0) return reportFailure(problems, exitSomeFailed);
  process.stdout.write('no other encryption key is needed any more\n');
  return exitOk;
}

/**
 * `loyaltyd rotate-keys`: wraps every data key by the first key of `LOYALTYD_ENCRYPTION_KEY`. Needs that and
 * `DATABASE_URL`; the daemons go on meanwhile.
 * @returns the exit code: 4 where keys are left that need another one, or may yet come
 */
export async function runRotateKeys(env: NodeJS.ProcessEnv, { reason }: { readonly reason: string }): Promise<number> {
  return databaseCommand(env, {
    name: 'rotate-keys',
    missing: ({ encryptionKeys }) => (encryptionKeys === null ? ['LOYALTYD_ENCRYPTION_KEY: must be set'] : []),
    run: async (connection, environment) => {
      await requireSchema(connection);
      const audit = { at: Date.now(), actor: userInfo().username, address: null, reason };
      const tools = { keyring: new Keyring(await masterKeysOf(environment)), random: new SystemRandom(), audit };
      return printReport(await rotateKeys(connection.database, tools));
    },
  });
}
