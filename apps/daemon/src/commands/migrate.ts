import type { Environment } from '#contracts';
import type { DatabaseGrants, PartnerIdentity } from '#intents';
import { adoptEnvironment, databaseDuties, grantRoles } from '#intents';
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
  /** Which roles get what they need afterwards, such as `run=daemon,read=support`; null: none. */
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

/** What `--grant` names; a text says what is wrong with it. */
export function readGrants(text: string): DatabaseGrants | string {
  const usage = `--grant: must be such as run=daemon,read=support; duties are ${databaseDuties.join(', ')}`;
  const grants: Partial<Record<string, string>> = {};
  for (const pair of text.split(',')) {
    const [, duty = '', role = ''] = /^(\w+)=(.+)$/.exec(pair.trim()) ?? [];
    const isKnown = databaseDuties.some((known) => known === duty);
    if (!isKnown || grants[duty] !== undefined) return usage;
    grants[duty] = role;
  }
  return grants;
}

async function carryOutGrants(connection: PostgresConnection, grants: DatabaseGrants): Promise<void> {
  await grantRoles(connection.database, grants);
  const lines = Object.entries(grants).map(([duty, role]) => `${role} may ${duty}\n`);
  process.stdout.write(lines.join(''));
}

/** @returns the exit code */
async function migrate(
  connection: PostgresConnection,
  { wallet }: Environment,
  { grants, ...options }: Omit<MigrateOptions, 'grant'> & { readonly grants: DatabaseGrants | null },
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
  if (grants !== null) await carryOutGrants(connection, grants);
  return exitOk;
}

/**
 * `loyaltyd migrate`: brings the schema up to date. Needs `DATABASE_URL`, and the partner's variables to adopt it.
 * @returns the exit code; of a plan 6 where something is to be done
 */
export async function runMigrate(env: NodeJS.ProcessEnv, options: MigrateOptions): Promise<number> {
  const { grant, ...what } = options;
  const grants = grant === null ? null : readGrants(grant);
  return databaseCommand(env, {
    name: 'migrate',
    missing: ({ wallet }) => [
      ...(what.adoptEnvironment && wallet === null ? ['WALLET_BASE_URL: must be set to adopt the partner'] : []),
      ...(typeof grants === 'string' ? [grants] : []),
    ],
    run: (connection, environment) =>
      migrate(connection, environment, { ...what, grants: typeof grants === 'string' ? null : grants }),
  });
}
