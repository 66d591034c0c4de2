import type { Environment } from '#contracts';
import type { PartnerIdentity } from '#intents';
import { adoptEnvironment } from '#intents';
import type { PostgresConnection } from '#platform';

import { databaseCommand } from './lifecycle/database-command.js';
import { exitOk, exitToDo } from './lifecycle/exit-codes.js';
import { describePlan } from './migrate/describe-plan.js';
import { SchemaAheadError } from './wiring/ensure-schema.js';

export interface MigrateOptions {
  /** Only say what would be done. */
  readonly plan: boolean;
  /** Make the database belong to the partner that is configured now. */
  readonly adoptEnvironment: boolean;
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

/**
 * `loyaltyd migrate`: brings the schema up to date. Needs `DATABASE_URL`, and the partner's variables to adopt it.
 * @returns the exit code; of a plan 6 where something is to be done
 */
export async function runMigrate(env: NodeJS.ProcessEnv, options: MigrateOptions): Promise<number> {
  return databaseCommand(env, {
    name: 'migrate',
    missing: ({ wallet }) =>
      options.adoptEnvironment && wallet === null ? ['WALLET_BASE_URL: must be set to adopt the partner'] : [],
    run: (connection, environment) => migrate(connection, environment, options),
  });
}
