import { readFileSync } from 'node:fs';
import type { DataSource } from 'typeorm';

import type { Environment } from '#contracts';
import { readEnvironment } from '#contracts';
import type { PartnerIdentity } from '#intents';
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

function complain(lines: readonly string[], exitCode: number): number {
  for (const line of lines) process.stderr.write(`${line}\n`);
  return exitCode;
}

async function applyMigrations(dataSource: DataSource, { plan }: MigrateOptions): Promise<void> {
  const names = plan ? await pendingMigrations(dataSource) : await runMigrations(dataSource);
  const verb = plan ? 'would run' : 'ran';
  process.stdout.write(names.length === 0 ? 'the schema is up to date\n' : `${verb} ${names.join(', ')}\n`);
}

async function adopt(dataSource: DataSource, partner: PartnerIdentity): Promise<void> {
  await adoptEnvironment(new TypeormDatabase(dataSource), partner);
  process.stdout.write(`the database now belongs to ${partner.baseUrl} (${partner.environment})\n`);
}

async function migrate(dataSource: DataSource, { wallet }: Environment, options: MigrateOptions): Promise<void> {
  await dataSource.initialize();
  await applyMigrations(dataSource, options);
  if (options.adoptEnvironment && !options.plan && wallet !== null) await adopt(dataSource, wallet);
}

function missing({ database, wallet }: Environment, options: MigrateOptions): string[] {
  const lines = database === null ? ['DATABASE_URL: must be set'] : [];
  const lacksPartner = options.adoptEnvironment && wallet === null;
  return lacksPartner ? [...lines, 'WALLET_BASE_URL: must be set to adopt the partner'] : lines;
}

/**
 * `loyaltyd migrate`: brings the schema up to date. Needs `DATABASE_URL`, and the partner's variables to adopt it.
 * @returns the exit code
 */
export async function runMigrate(env: NodeJS.ProcessEnv, options: MigrateOptions): Promise<number> {
  const read = readEnvironment(env, { roles: [], readFile: (path) => readFileSync(path, 'utf8') });
  const problems = read.ok ? missing(read.value, options) : read.errors;
  if (!read.ok || read.value.database === null || problems.length > 0) return complain(problems, exitUsage);
  const dataSource = dataSourceOf(read.value.database, createLogger({ level: 'warn', service: 'loyaltyd' }));
  try {
    await migrate(dataSource, read.value, options);
    return exitOk;
  } catch (error) {
    return complain([`migrate failed: ${error instanceof Error ? error.message : 'unknown error'}`], exitError);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}
