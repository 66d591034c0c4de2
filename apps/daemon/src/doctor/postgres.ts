import type { DatabaseEnvironment } from '#contracts';
import type { InspectedRole } from '#intents';
import { inspectRole } from '#intents';
import type { Clock, InspectedServer, PostgresConnection, SchemaState } from '#platform';
import { inspectServer, inspectSettings, readDatabaseClock, readOnlyDatabase, SystemClock } from '#platform';

import { withinGrace } from '../lifecycle/waiting.js';
import { describeConnectFailure } from '../storage/describe-connect-failure.js';
import { postgresOf } from '../storage/storage.module.js';
import type { Given, Store } from './checks.js';
import { checkMs } from './checks.js';
import type { Finding } from './finding.js';
import { failed, nameList, ok, skipped, troublesOr, warning } from './finding.js';

/** What to do where a reading takes too long. */
export const slowRemedy =
  'Postgres answers slowly: see pg_stat_activity for locks and long queries, and the machine’s load.';

const connectionName = 'postgres.connection';
const poolSize = 2;
/** How long a server is given to say goodbye. */
const closeMs = 1_000;

/** Where it is, without user and password. */
function placeOf({ url, ssl }: DatabaseEnvironment): string {
  const { hostname, port, pathname } = new URL(url.value);
  return `${hostname}:${port === '' ? '5432' : port}${pathname} (${ssl === 'disable' ? 'without TLS' : `TLS: ${ssl}`})`;
}

/** A server that hangs does not say goodbye: then the connections are broken. */
async function closeConnection(connection: PostgresConnection): Promise<void> {
  const closing = connection.close();
  await withinGrace(closing, closeMs, new SystemClock());
  connection.abandon();
  await closing;
}

/** Connects to Postgres as the daemon does, with two connections. */
export async function checkConnection({ environment, logger, opened, closing }: Given): Promise<readonly Finding[]> {
  const { database: settings } = environment;
  if (settings === null) return [skipped(connectionName, 'no usable database settings in this process')];
  const serverSettings = [`statement_timeout=${checkMs}`];
  const connection = postgresOf(settings, logger, { applicationName: 'loyaltyd-doctor', poolSize, serverSettings });
  closing.push(() => closeConnection(connection));
  const place = placeOf(settings);
  try {
    await connection.connect();
  } catch (error) {
    const { detail, remedy } = describeConnectFailure(error);
    return [failed(connectionName, { detail: `${place}: ${detail}`, remedy })];
  }
  opened.postgres = connection;
  return [ok(connectionName, place)];
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

export async function checkServer({ postgres }: Given<'postgres'>): Promise<readonly Finding[]> {
  return judgeServer(await inspectServer(readOnlyDatabase(postgres.database)));
}

const settingsName = 'postgres.settings';

/** What *never lost* rests on: what a setting must be, and what follows where it is not. */
const settingRules: ReadonlyMap<string, readonly [isWell: RegExp, why: string]> = new Map([
  ['fsync', [/^on$/, 'a crash of the machine destroys the database']],
  ['full_page_writes', [/^on$/, 'a crash in the middle of a write destroys pages']],
  [
    'synchronous_commit',
    [/^(?:on|local|remote_write|remote_apply)$/, 'a crash forgets what was sent last, and it is sent again'],
  ],
]);

/** What costs less otherwise, and breaks nothing: said beside the value. */
const advice: ReadonlyMap<string, readonly [isWell: RegExp, hint: string]> = new Map([
  ['wal_compression', [/^(?!off$)/, 'lz4 or zstd would make the log of many members much smaller (docs/scaling.md)']],
]);

function shownSetting(setting: string, value: string): string {
  const [isWell, hint] = advice.get(setting) ?? [];
  return `${setting}=${value}${isWell?.test(value) === false ? `: ${hint}` : ''}`;
}

/** The settings on which *never lost* rests, as our own connections have them. */
export function judgeSettings(values: ReadonlyMap<string, string>): readonly Finding[] {
  const troubles = [...settingRules].flatMap(([setting, [isWell, why]]) => {
    const value = values.get(setting);
    if (value === undefined || isWell.test(value)) return [];
    const remedy = `Set ${setting}=on where it comes from: postgresql.conf or ALTER SYSTEM, then SELECT pg_reload_conf(); or ALTER DATABASE, ALTER ROLE.`;
    return [failed(`${settingsName}.${setting}`, { detail: `${setting}=${value}: ${why}`, remedy })];
  });
  const shown = [...values].map(([setting, value]) => shownSetting(setting, value)).toSorted();
  return troublesOr(troubles, ok(settingsName, shown.join(', ')));
}

export async function checkSettings({ postgres }: Given<'postgres'>): Promise<readonly Finding[]> {
  const names = [...settingRules.keys(), ...advice.keys()];
  return judgeSettings(await inspectSettings(readOnlyDatabase(postgres.database), names));
}

const schemaName = 'postgres.schema';

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

/** The migrations. Opens our tables where the schema is whole. */
export async function checkSchema({ postgres, clock, opened }: Given<'postgres'>): Promise<readonly Finding[]> {
  const state = await postgres.schemaState();
  const isWhole = !state.isEmpty && state.pending.length === 0 && state.outgrown.length === 0;
  if (isWhole) opened.store = await openStore(postgres, clock);
  return [judgeSchema(state)];
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
export async function checkRole({ store }: Given<'store'>): Promise<readonly Finding[]> {
  return [judgeRole(await inspectRole(store.database))];
}
