import { readFileSync } from 'node:fs';

import { readEnvironment } from '#contracts';
import { adoptEnvironment } from '#intents';
import { createLogger, pendingMigrations, runMigrations, TypeormDatabase } from '#platform';

import { exitError, exitOk, exitUsage } from './lifecycle/exit-codes.js';
import { dataSourceOf } from './wiring/storage.js';

export interface MigrateOptions {
  /** Only say what would be done. */
  readonly plan: boolean;
  /** Make the database belong to the partner that is configured now. */
  readonly adoptEnvironment: boolean;
}

function complain(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`${line}\n`);
}

/**
 * `loyaltyd migrate`: brings the schema up to date. Needs `DATABASE_URL`, and the partner's variables to adopt it.
 * @returns the exit code
 */
export async function runMigrate(env: NodeJS.ProcessEnv, options: MigrateOptions): Promise<number> {
  const roles = options.adoptEnvironment ? (['delivery'] as const) : [];
  const read = readEnvironment(env, { roles, readFile: (path) => readFileSync(path, 'utf8') });
  if (!read.ok) {
    complain(read.errors);
    return exitUsage;
  }
  const { database: settings, wallet } = read.value;
  if (settings === null) {
    complain(['DATABASE_URL: must be set']);
    return exitUsage;
  }
  const dataSource = dataSourceOf(settings, createLogger({ level: 'warn', service: 'loyaltyd' }));
  try {
    await dataSource.initialize();
    const names = options.plan ? await pendingMigrations(dataSource) : await runMigrations(dataSource);
    const verb = options.plan ? 'would run' : 'ran';
    process.stdout.write(names.length === 0 ? 'the schema is up to date\n' : `${verb} ${names.join(', ')}\n`);
    if (options.adoptEnvironment && !options.plan && wallet !== null) {
      await adoptEnvironment(new TypeormDatabase(dataSource), wallet);
      process.stdout.write(`the database now belongs to ${wallet.baseUrl} (${wallet.environment})\n`);
    }
    return exitOk;
  } catch (error) {
    complain([`migrate failed: ${error instanceof Error ? error.message : 'unknown error'}`]);
    return exitError;
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}
