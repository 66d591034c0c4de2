import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

import type { Environment } from '#contracts';
import { readEnvironment } from '#contracts';
import type { KeyRotation } from '#intents';
import { rotateKeys } from '#intents';
import { createLogger, Keyring, SystemRandom, ToldError } from '#platform';

import { exitError, exitOk, exitSomeFailed, exitUsage } from './lifecycle/exit-codes.js';
import { requireSchema } from './wiring/ensure-schema.js';
import { postgresOf } from './wiring/storage.js';

function complain(lines: readonly string[], exitCode: number): number {
  for (const line of lines) process.stderr.write(`${line}\n`);
  return exitCode;
}

function tell({ members, rewrapped, left, unopened }: KeyRotation): number {
  process.stdout.write(`wrapped ${rewrapped} keys by the first encryption key; ${members} members were looked at\n`);
  const problems = [
    ...(left > 0
      ? [
          `${left} keys came meanwhile from a process that wraps by another key: ask again in five minutes, or restart it`,
        ]
      : []),
    ...(unopened > 0
      ? [`${unopened} keys are opened by none of the encryption keys: keep looking for the one they need`]
      : []),
  ];
  if (problems.length > 0) return complain(problems, exitSomeFailed);
  process.stdout.write('no other encryption key is needed any more\n');
  return exitOk;
}

async function rotate({ database, encryptionKeys }: Environment, reason: string): Promise<number> {
  if (database === null || encryptionKeys === null) {
    return complain(['DATABASE_URL and LOYALTYD_ENCRYPTION_KEY: must be set'], exitUsage);
  }
  const connection = postgresOf(database, createLogger({ level: 'warn', service: 'loyaltyd' }));
  try {
    await connection.connect();
    await requireSchema(connection);
    const word = { at: Date.now(), actor: userInfo().username, address: null, reason };
    const tools = { keyring: new Keyring(encryptionKeys), random: new SystemRandom(), word };
    return tell(await rotateKeys(connection.database, tools));
  } finally {
    await connection.close();
  }
}

/**
 * `loyaltyd rotate-keys`: wraps every data key by the first key of `LOYALTYD_ENCRYPTION_KEY`. Needs that and
 * `DATABASE_URL`; the daemons go on meanwhile.
 * @returns the exit code: 4 where keys are left that need another one
 */
export async function runRotateKeys(env: NodeJS.ProcessEnv, { reason }: { readonly reason: string }): Promise<number> {
  const read = readEnvironment(env, { roles: [], readFile: (path) => readFileSync(path, 'utf8') });
  if (!read.ok) return complain(read.errors, exitUsage);
  try {
    return await rotate(read.value, reason);
  } catch (error) {
    return complain([`rotate-keys failed: ${error instanceof ToldError ? error.message : 'unknown error'}`], exitError);
  }
}
