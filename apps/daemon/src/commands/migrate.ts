import type { Environment } from '#contracts';
import type { PartnerIdentity } from '#intents';
import { adoptEnvironment, grantApplication } from '#intents';
import type { PlannedMigration, PostgresConnection } from '#platform';

import { exitOk, exitToDo } from '../lifecycle/exits.js';
import { refuseForeign } from '../storage/schema.js';
import { databaseCommand } from './database-command.js';

type Effect = PlannedMigration['effects'][number];

const locks: Record<Effect['lock'], string> = {
  none: 'stops nobody',
  rows: 'stops whoever writes the same rows',
  schema: 'stops nobody but other schema changes',
  writers: 'stops all who write to it',
  everybody: 'stops all who use it',
};

const works: Record<Effect['work'], string> = {
  short: 'for a moment',
  'reads-table': 'while it reads all of it',
  'rewrites-table': 'while it writes all of it anew',
  'changes-rows': 'while it changes rows, as many as there are',
  unknown: 'for how long cannot be told in advance',
};

const bytesPerMegabyte = 1_048_576;

function sizeText({ size }: Effect): string {
  if (size === null) return '';
  const rows = size.rows === null ? 'rows not counted yet' : `about ${Math.round(size.rows)} rows`;
  return ` (${rows}, ${Math.ceil(size.bytes / bytesPerMegabyte)} MB)`;
}

/** Only what somebody may notice. */
function effectLine(effect: Effect): string[] {
  const { what, table, lock, work, breaks } = effect;
  if (lock === 'none' && work === 'short' && breaks === null) return [];
  const where = table === null ? what : `${what}, on ${table}${sizeText(effect)}`;
  return [`  ${where}: ${locks[lock]} ${works[work]}`];
}

function statusText({ breaking }: PlannedMigration): string {
  if (breaking === null) return 'compatible: processes of the release before go on working';
  return `BREAKING: ${breaking.why}. Stop every process that knows less than schema ${breaking.serves} first`;
}

function describe(migration: PlannedMigration): string[] {
  const { name, creates, effects, isTransactional } = migration;
  return [
    name,
    `  ${statusText(migration)}`,
    ...(isTransactional ? [] : ['  not in a transaction: ended half way, it is run again']),
    ...(creates.length === 0 ? [] : [`  new tables: ${creates.join(', ')}`]),
    ...effects.flatMap(effectLine),
  ];
}

/** What `migrate --plan` prints. */
export function describePlan(planned: readonly PlannedMigration[]): string {
  if (planned.length === 0) return 'the schema is up to date\n';
  const names = planned.map(({ name }) => name).join(', ');
  return `${[`would run ${names}`, '', ...planned.flatMap(describe)].join('\n')}\n`;
}

export interface MigrateOptions {
  /** Only say what would be done. */
  readonly plan: boolean;
  /** Make the database belong to the partner that is configured now. */
  readonly adoptEnvironment: boolean;
  /** The application's role, which gets what it needs afterwards; null: none. */
  readonly grant: string | null;
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

async function carryOutGrant(connection: PostgresConnection, role: string): Promise<void> {
  await grantApplication(connection.database, role);
  process.stdout.write(`${role} may run the application\n`);
}

/** @returns the exit code */
async function migrate(
  connection: PostgresConnection,
  { wallet }: Environment,
  options: MigrateOptions,
): Promise<number> {
  const state = await connection.schemaState();
  refuseForeign(state);
  const { unknown } = state;
  if (unknown.length > 0) {
    process.stdout.write(`a newer release has added ${unknown.join(', ')}, with which this one works, too\n`);
  }
  if (options.plan) return plan(connection);
  await applyMigrations(connection);
  if (options.adoptEnvironment && wallet !== null) await adopt(connection, wallet);
  if (options.grant !== null) await carryOutGrant(connection, options.grant);
  return exitOk;
}

/**
 * `loyaltyd migrate`: brings the schema up to date. Needs `DATABASE_URL`, and the partner's variables to adopt it.
 * @returns the exit code; of a plan 6 where something is to be done
 */
export async function runMigrate(env: NodeJS.ProcessEnv, options: MigrateOptions): Promise<number> {
  return databaseCommand(env, {
    name: 'migrate',
    missing: ({ wallet }) => [
      ...(options.adoptEnvironment && wallet === null ? ['WALLET_BASE_URL: must be set to adopt the partner'] : []),
    ],
    run: (connection, environment) => migrate(connection, environment, options),
  });
}
