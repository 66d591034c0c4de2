import type { DatabaseEnvironment } from '#contracts';
import type { InspectedRole } from '#intents';
import { inspectRole } from '#intents';
import type {
  BrokenObject,
  Clock,
  Database,
  InspectedServer,
  Logger,
  PostgresConnection,
  SchemaState,
} from '#platform';
import {
  inspectServer,
  inspectSettings,
  listBrokenObjects,
  readDatabaseClock,
  readOnlyDatabase,
  SystemClock,
} from '#platform';

import { withinGrace } from '../lifecycle/waiting.js';
import { describeConnectFailure, timeoutRemedy } from '../storage/describe-connect-failure.js';
import { postgresOf } from '../storage/storage.module.js';
import { judgeDatabaseClock } from './clocks.js';
import type { CheckPlan, Examination, Examined, Step } from './examination.js';
import { connectMs, readMs, releaseMs } from './examination.js';
import type { Finding } from './finding.js';
import { failed, nameList, ok, troublesOr, warning } from './finding.js';

/** What to do where a reading takes too long. */
export const slowRemedy = 'Postgres answers slowly: see pg_stat_activity for locks and long queries.';
const slowServerRemedy =
  'Postgres answers slowly: see pg_stat_activity for locks and long queries, and the machine’s load.';

/** A reading of the server that builds on nothing but a connection. */
function serverPlan(name: string): CheckPlan {
  return { name, timeoutMs: readMs, remedy: slowServerRemedy };
}

const connectionName = 'postgres.connection';
const poolSize = 2;

/** Where it is, without user and password. */
function placeOf({ url, ssl }: DatabaseEnvironment): string {
  const { hostname, port, pathname } = new URL(url.value);
  return `${hostname}:${port === '' ? '5432' : port}${pathname} (${ssl === 'disable' ? 'without TLS' : `TLS: ${ssl}`})`;
}

function openConnection(settings: DatabaseEnvironment, logger: Logger): PostgresConnection {
  const serverSettings = [`statement_timeout=${readMs}`];
  return postgresOf(settings, logger, { applicationName: 'loyaltyd-doctor', poolSize, serverSettings });
}

/** A connection of our own, and the way to close it again. */
interface OpenedConnection {
  readonly step: Step<PostgresConnection>;
  readonly close: () => Promise<void>;
}

async function connect(
  settings: DatabaseEnvironment,
  connection: PostgresConnection,
): Promise<Examined<PostgresConnection>> {
  const place = placeOf(settings);
  try {
    await connection.connect();
    return { findings: [ok(connectionName, place)], value: connection };
  } catch (error) {
    const { detail, remedy } = describeConnectFailure(error);
    return { findings: [failed(connectionName, { detail: `${place}: ${detail}`, remedy })], value: null };
  }
}

/** A server that hangs does not say goodbye: then the connections are broken. */
async function closeConnection(connection: PostgresConnection): Promise<void> {
  const closing = connection.close();
  await withinGrace(closing, releaseMs, new SystemClock());
  connection.abandon();
  await closing;
}

/** Connects to Postgres as the daemon does, with two connections. */
export function checkConnection(
  examination: Examination,
  settings: DatabaseEnvironment,
  logger: Logger,
): OpenedConnection {
  const connection = openConnection(settings, logger);
  const plan = { name: connectionName, timeoutMs: connectMs, remedy: timeoutRemedy };
  return {
    step: examination.check(plan, () => connect(settings, connection)),
    close: () => closeConnection(connection),
  };
}

const versionName = 'postgres.version';
const primaryName = 'postgres.primary';
/** Supported: 15 to 18. */
const oldestMajor = 15;
const newestMajor = 18;

function judgeVersion({ versionNumber, version }: InspectedServer): Finding {
  const major = Math.floor(versionNumber / 10_000);
  if (major < oldestMajor) {
    const detail = `${version}: older than ${oldestMajor}`;
    return failed(versionName, { detail, remedy: `Upgrade Postgres: ${oldestMajor} to ${newestMajor} are supported.` });
  }
  if (major > newestMajor) {
    const detail = `${version}: newer than ${newestMajor}, with which we have not been tried`;
    return warning(versionName, { detail, remedy: 'Look for a newer release of loyaltyd.' });
  }
  return ok(versionName, version);
}

function judgePrimary({ isStandby, isReadOnly }: InspectedServer): Finding {
  if (isStandby) {
    const remedy = 'DATABASE_URL must lead to the primary. After a failover: does the name still lead to the old one?';
    return failed(primaryName, { detail: 'this is a standby: nothing can be written', remedy });
  }
  if (isReadOnly) {
    const remedy =
      'Find who set default_transaction_read_only (postgresql.conf, ALTER DATABASE, ALTER ROLE): a managed service does so ' +
      'when its disk is full.';
    return failed(primaryName, { detail: 'default_transaction_read_only is on: nothing can be written', remedy });
  }
  return ok(primaryName, 'it takes writes');
}

/** A version that we support, and a server that takes writes. */
export function judgeServer(server: InspectedServer): readonly Finding[] {
  return [judgeVersion(server), judgePrimary(server)];
}

const settingsName = 'postgres.settings';

interface Rule {
  readonly setting: string;
  readonly isWell: (value: string) => boolean;
  /** What follows from it. */
  readonly why: string;
  readonly wanted: string;
}

const is =
  (...wanted: readonly string[]) =>
  (value: string): boolean =>
    wanted.includes(value);

const settingRules: readonly Rule[] = [
  {
    setting: 'fsync',
    isWell: is('on'),
    why: 'a crash of the machine destroys the database',
    wanted: 'fsync=on',
  },
  {
    setting: 'full_page_writes',
    isWell: is('on'),
    why: 'a crash in the middle of a write destroys pages',
    wanted: 'full_page_writes=on',
  },
  {
    setting: 'synchronous_commit',
    isWell: is('on', 'local', 'remote_write', 'remote_apply'),
    why: 'a crash forgets what was sent last, and it is sent again',
    wanted: 'synchronous_commit=on',
  },
];

/** The settings to be looked at. */
export const settingNames: readonly string[] = [
  ...settingRules.map(({ setting }) => setting),
  'synchronous_standby_names',
];

function settingTrouble({ setting, why, wanted }: Rule, value: string): Finding {
  return failed(`${settingsName}.${setting}`, {
    detail: `${setting}=${value}: ${why}`,
    remedy: `Set ${wanted} where it comes from: postgresql.conf or ALTER SYSTEM, then SELECT pg_reload_conf(); or ALTER DATABASE, ALTER ROLE.`,
  });
}

/** `local` is as safe as `on` only where no standby is waited for. */
function judgeStandbys(values: ReadonlyMap<string, string>): readonly Finding[] {
  const commit = values.get('synchronous_commit') ?? 'on';
  const standbys = values.get('synchronous_standby_names') ?? '';
  if (standbys === '' || commit !== 'local') return [];
  return [
    warning(`${settingsName}.synchronous_standby_names`, {
      detail: 'there are synchronous standbys, and synchronous_commit=local does not wait for them',
      remedy: 'After a failover what they lack is sent again: set synchronous_commit=on, or do without them knowingly.',
    }),
  ];
}

/** The settings on which *never lost* rests, as our own connections have them. */
export function judgeSettings(values: ReadonlyMap<string, string>): readonly Finding[] {
  const troubles = settingRules.flatMap((rule) => {
    const value = values.get(rule.setting);
    return value === undefined || rule.isWell(value) ? [] : [settingTrouble(rule, value)];
  });
  const shown = [...values].map(([setting, value]) => `${setting}=${value === '' ? "''" : value}`);
  return troublesOr([...troubles, ...judgeStandbys(values)], ok(settingsName, shown.toSorted().join(', ')));
}

/** The server itself, whatever is in it: a version that we support, that takes writes, forgets nothing, and knows the time. */
export function checkServer(examination: Examination, connection: Step<PostgresConnection>, clock: Clock): void {
  examination.after(connection, serverPlan(versionName), async ({ database }) => ({
    findings: judgeServer(await inspectServer(readOnlyDatabase(database))),
    value: null,
  }));
  examination.after(connection, serverPlan(settingsName), async ({ database }) => ({
    findings: judgeSettings(await inspectSettings(readOnlyDatabase(database), settingNames)),
    value: null,
  }));
  // Not within a transaction: its round trips would count.
  examination.after(connection, serverPlan('clock.postgres'), async ({ database }) => ({
    findings: [judgeDatabaseClock(clock, await readDatabaseClock(clock, database))],
    value: null,
  }));
}

const schemaName = 'postgres.schema';

/** Our tables, in which nothing can be changed. */
export interface Store {
  readonly database: Database;
  /** The time of the database, which is that of everything in it, whatever this machine's clock says. Epoch ms. */
  readonly now: () => number;
}

/** How the schema stands to the program. */
export function judgeSchema({ isEmpty, earlier, pending, unknown, outgrown, stopped }: SchemaState): Finding {
  if (isEmpty) {
    const remedy =
      '`loyaltyd start` or `loyaltyd migrate` sets it up. If it should hold data: DATABASE_URL leads to another database.';
    return warning(schemaName, { detail: 'the database is empty', remedy });
  }
  if (earlier.length > 0) {
    const remedy = 'Nothing leads from there to this release: give it an empty database.';
    return failed(schemaName, { detail: 'an earlier build has made it', remedy });
  }
  if (pending.length > 0) {
    const why = stopped === null ? '' : `; the last try stopped at ${stopped.migration}: ${stopped.reason}`;
    const detail = `it lacks ${nameList(pending)}${why}`;
    const remedy = 'Run `loyaltyd migrate` with this release; `--plan` only says what it would do.';
    return failed(schemaName, { detail, remedy });
  }
  if (outgrown.length > 0) {
    const detail = `it has ${nameList(outgrown)}, beside which this release cannot work`;
    return failed(schemaName, {
      detail,
      remedy: 'A newer release has been here: run that one. Migrations only go forward.',
    });
  }
  if (unknown.length > 0) {
    return ok(schemaName, `up to date; a newer release has added ${nameList(unknown)}, with which this one works, too`);
  }
  return ok(schemaName, 'up to date');
}

async function openStore({ database }: PostgresConnection, clock: Clock): Promise<Store> {
  const { databaseMs, readAt } = await readDatabaseClock(clock, database);
  return { database: readOnlyDatabase(database), now: () => Math.round(databaseMs + clock.monotonic() - readAt) };
}

/** The migrations. Builds our tables where the schema is whole. */
export function checkSchema(examination: Examination, connection: Step<PostgresConnection>, clock: Clock): Step<Store> {
  const remedy = 'Something holds a lock on schema_migration: see pg_stat_activity.';
  return examination.after(connection, { name: schemaName, timeoutMs: readMs, remedy }, async (reached) => {
    const state = await reached.schemaState();
    const isWhole = !state.isEmpty && state.pending.length === 0 && state.outgrown.length === 0;
    return { findings: [judgeSchema(state)], value: isWhole ? await openStore(reached, clock) : null };
  });
}

const objectsName = 'postgres.objects';

function brokenObject({ kind, name: object, table }: BrokenObject): Finding {
  const at = `${objectsName}.${object}`;
  if (kind === 'index') {
    const detail = `the index ${object} of ${table} is not valid: queries that need it read the whole table`;
    return failed(at, { detail, remedy: `REINDEX INDEX CONCURRENTLY ${object};` });
  }
  const detail = `the trigger ${object} of ${table} is switched off: what it protects or keeps up to date no longer is`;
  return failed(at, {
    detail,
    remedy: `ALTER TABLE ${table} ENABLE TRIGGER ${object}; then find out what was changed meanwhile.`,
  });
}

/** What exists in our schema and does not do what it is there for. */
export function judgeObjects(broken: readonly BrokenObject[]): readonly Finding[] {
  return troublesOr(broken.map(brokenObject), ok(objectsName, 'every index is valid, every trigger fires'));
}

/** Indexes and triggers of the schema. */
export function checkObjects(examination: Examination, store: Step<Store>): void {
  examination.after(store, serverPlan(objectsName), async ({ database }) => {
    return { findings: judgeObjects(await listBrokenObjects(database)), value: null };
  });
}

const roleName = 'postgres.role';
const grantRemedy =
  'Run `loyaltyd migrate --grant ROLE` as the owner of the tables, with this release; docs/operations/install.md.';

/** Whether the role of the daemon may do what it must, and no more. */
export function judgeRole({ name, isOwner, lacks, exceeds }: InspectedRole): Finding {
  if (isOwner) {
    const detail = `${name} owns the tables, or may do all that their owner may: change what was recorded, drop what protects it`;
    const remedy =
      'Let the daemon log in as a role of its own: `loyaltyd migrate --grant ROLE` gives it what it needs.';
    return warning(roleName, { detail, remedy });
  }
  if (lacks.length > 0) return failed(roleName, { detail: `${name} lacks ${nameList(lacks)}`, remedy: grantRemedy });
  if (exceeds.length > 0) {
    return warning(roleName, { detail: `${name} may more than it needs: ${nameList(exceeds)}`, remedy: grantRemedy });
  }
  return ok(roleName, `${name} owns nothing and may do what it needs, no more`);
}

/** What the role of our connections may do. */
export function checkRole(examination: Examination, store: Step<Store>): void {
  examination.after(store, serverPlan(roleName), async ({ database }) => {
    return { findings: [judgeRole(await inspectRole(database))], value: null };
  });
}
