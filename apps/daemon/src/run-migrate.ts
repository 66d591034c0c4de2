import { readFileSync } from 'node:fs';

import type { Environment } from '#contracts';
import { readEnvironment } from '#contracts';
import type { PartnerIdentity } from '#intents';
import { adoptEnvironment } from '#intents';
import type { PostgresConnection } from '#platform';
import { createLogger } from '#platform';

import { exitError, exitOk, exitUsage } from './lifecycle/exit-codes.js';
import { postgresOf } from './wiring/storage.js';

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

async function applyMigrations(connection: PostgresConnection, { plan }: MigrateOptions): Promise<void> {
  const names = plan ? await connection.pendingMigrations() : await connection.runMigrations();
  const verb = plan ? 'would run' : 'ran';
  process.stdout.write(names.length === 0 ? 'the schema is up to date\n' : `${verb} ${names.join(', ')}\n`);
}

async function adopt(connection: PostgresConnection, partner: PartnerIdentity): Promise<void> {
  await adoptEnvironment(connection.database, partner);
  process.stdout.write(`the database now belongs to ${partner.baseUrl} (${partner.environment})\n`);
}

async function migrate(
  connection: PostgresConnection,
  { wallet }: Environment,
  options: MigrateOptions,
): Promise<void> {
  await connection.connect();
  await applyMigrations(connection, options);
  if (options.adoptEnvironment && !options.plan && wallet !== null) await adopt(connection, wallet);
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
  const connection = postgresOf(read.value.database, createLogger({ level: 'warn', service: 'loyaltyd' }));
  try {
    await migrate(connection, read.value, options);
    return exitOk;
  } catch (error) {
    return complain([`migrate failed: ${error instanceof Error ? error.message : 'unknown error'}`], exitError);
  } finally {
    await connection.close();
  }
}
