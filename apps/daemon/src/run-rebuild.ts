import { readFileSync } from 'node:fs';

import { readEnvironment } from '#contracts';
import { rebuildLanes } from '#intents';
import { createLogger } from '#platform';

import { exitError, exitOk, exitUsage } from './lifecycle/exit-codes.js';
import { tellError } from './lifecycle/tell-error.js';
import { requireSchema } from './wiring/ensure-schema.js';
import { postgresOf } from './wiring/storage.js';

function complain(lines: readonly string[], exitCode: number): number {
  for (const line of lines) process.stderr.write(`${line}\n`);
  return exitCode;
}

/**
 * `loyaltyd rebuild`: recreates the lanes from the truth tables. Needs `DATABASE_URL`; delivery must be stopped.
 * @returns the exit code
 */
export async function runRebuild(env: NodeJS.ProcessEnv): Promise<number> {
  const read = readEnvironment(env, { roles: [], readFile: (path) => readFileSync(path, 'utf8') });
  if (!read.ok) return complain(read.errors, exitUsage);
  if (read.value.database === null) return complain(['DATABASE_URL: must be set'], exitUsage);
  const connection = postgresOf(read.value.database, createLogger({ level: 'warn', service: 'loyaltyd' }));
  try {
    await connection.connect();
    await requireSchema(connection);
    const { lanes, facts } = await rebuildLanes(connection.database, Date.now());
    process.stdout.write(`rebuilt ${lanes} lanes from ${facts} facts\n`);
    return exitOk;
  } catch (error) {
    return complain([`rebuild failed: ${tellError(error)}`], exitError);
  } finally {
    await connection.close();
  }
}
