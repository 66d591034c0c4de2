import { readFileSync } from 'node:fs';

import type { Environment } from '#contracts';
import { readEnvironment } from '#contracts';
import type { PartnerIdentity } from '#intents';
import { adoptEnvironment } from '#intents';
import type { PostgresConnection } from '#platform';
import { createLogger } from '#platform';

import { exitError, exitOk, exitToDo, exitUsage } from './lifecycle/exit-codes.js';
import { startProblems } from './lifecycle/start-problems.js';
import { tellError } from './lifecycle/tell-error.js';
import { describePlan } from './migrate/describe-plan.js';
import { SchemaAheadError } from './wiring/ensure-schema.js';
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

/** @returns the exit code */
async function plan(connection: PostgresConnection): Promise<number> {
  const planned = await connection.planMigrations();
  process.stdout.write(describePlan(planned));
  return planned.length === 0 ? exitOk : exitToDo;
}

async function applyMigrations(connection: PostgresConnection): Promise<void> {
  const names = await connection.runMigrations();
  process.stdout.write(names.length === 0 ? 'the schema is up to date\n' : `ran ${names.join(', ')}\n`);
}

async function adopt(connection: PostgresConnection, partner: PartnerIdentity): Promise<void> {
  await adoptEnvironment(connection.database, partner);
  process.stdout.write(`the database now belongs to ${partner.baseUrl} (${partner.environment})\n`);
}

/** @returns the exit code */
async function migrate(
  connection: PostgresConnection,
  { wallet }: Environment,
  options: MigrateOptions,
): Promise<number> {
  await connection.connect();
  const { unknown, outgrown } = await connection.schemaState();
  if (outgrown.length > 0) throw new SchemaAheadError(outgrown);
  if (unknown.length > 0) {
    process.stdout.write(`a newer release has added ${unknown.join(', ')}, with which this one works, too\n`);
  }
  if (options.plan) return plan(connection);
  await applyMigrations(connection);
  if (options.adoptEnvironment && wallet !== null) await adopt(connection, wallet);
  return exitOk;
}

/** What went wrong, and whether the operator must mend something before it can go right. */
function failed(error: unknown): number {
  const problems = startProblems(error);
  if (problems !== null) return complain(problems, exitUsage);
  return complain([`migrate failed: ${tellError(error)}`], exitError);
}

function missing({ database, wallet }: Environment, options: MigrateOptions): string[] {
  const lines = database === null ? ['DATABASE_URL: must be set'] : [];
  const lacksPartner = options.adoptEnvironment && wallet === null;
  return lacksPartner ? [...lines, 'WALLET_BASE_URL: must be set to adopt the partner'] : lines;
}

/**
 * `loyaltyd migrate`: brings the schema up to date. Needs `DATABASE_URL`, and the partner's variables to adopt it.
 * @returns the exit code; of a plan 6 where something is to be done
 */
export async function runMigrate(env: NodeJS.ProcessEnv, options: MigrateOptions): Promise<number> {
  const read = readEnvironment(env, { roles: [], readFile: (path) => readFileSync(path, 'utf8') });
  const problems = read.ok ? missing(read.value, options) : read.errors;
  if (!read.ok || read.value.database === null || problems.length > 0) return complain(problems, exitUsage);
  const connection = postgresOf(read.value.database, createLogger({ level: 'warn', service: 'loyaltyd' }));
  try {
    return await migrate(connection, read.value, options);
  } catch (error) {
    return failed(error);
  } finally {
    await connection.close();
  }
}
