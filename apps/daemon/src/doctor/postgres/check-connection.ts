import type { DatabaseEnvironment } from '#contracts';
import type { ConnectFailureKind, Logger, PostgresConnection } from '#platform';
import { connectFailure, SystemClock } from '#platform';

import { withinGrace } from '../../lifecycle/within-grace.js';
import { postgresOf } from '../../wiring/storage.js';
import type { Examination, Examined, Step } from '../examination.js';
import { failed, ok } from '../finding.js';
import { connectMs, readMs, releaseMs } from '../limits.js';

const name = 'postgres.connection';
const poolSize = 2;

const texts: Readonly<Record<ConnectFailureKind, string>> = {
  'unknown-host': 'its host name is not known',
  refused: 'nobody listens there',
  unreachable: 'it cannot be reached, or hangs up',
  timeout: 'it does not answer',
  tls: 'TLS was not agreed on',
  password: 'user or password is wrong',
  'no-database': 'there is no such database',
  'not-allowed': 'this user may not connect from here',
  full: 'it has no connection left',
  starting: 'it is starting or shutting down',
  other: 'it refused',
};

const remedies: Readonly<Record<ConnectFailureKind, string>> = {
  'unknown-host': 'Check the host in DATABASE_URL, and this machine’s name service.',
  refused: 'Is Postgres up, and are host and port in DATABASE_URL right? Try `pg_isready -h HOST -p PORT`.',
  unreachable: 'Check the network between here and the host in DATABASE_URL: `pg_isready -h HOST -p PORT`.',
  timeout:
    'A firewall may swallow packets, or the server is stuck: `pg_isready -h HOST -p PORT`, then the server’s log.',
  tls:
    'DATABASE_SSL=require and verify-full need a server with ssl=on; verify-full also a certificate in date that names the ' +
    'host and is signed by DATABASE_SSL_CA_FILE.',
  password: 'Check user and password in DATABASE_URL (or the file behind DATABASE_URL_FILE). Was it rotated?',
  'no-database': 'Check the database in DATABASE_URL, or create it: CREATE DATABASE loyaltyd.',
  'not-allowed': 'pg_hba.conf must let this user in from this address, and with or without TLS as DATABASE_SSL says.',
  full: 'Other clients hold all of max_connections: see pg_stat_activity. Lower DATABASE_POOL_SIZE, or end what is idle.',
  starting: 'Wait, and look at the server’s log. Nothing is lost meanwhile.',
  other: 'Look at the server’s log for this moment.',
};

/** Where it is, without user and password. */
function placeOf({ url, ssl }: DatabaseEnvironment): string {
  const { hostname, port, pathname } = new URL(url.value);
  return `${hostname}:${port === '' ? '5432' : port}${pathname} (${ssl === 'disable' ? 'without TLS' : `TLS: ${ssl}`})`;
}

function openConnection(settings: DatabaseEnvironment, logger: Logger): PostgresConnection | null {
  try {
    const serverSettings = [`statement_timeout=${readMs}`];
    return postgresOf(settings, logger, { applicationName: 'loyaltyd-doctor', poolSize, serverSettings });
  } catch {
    return null;
  }
}

/** A connection of our own, and the way to close it again. */
export interface OpenedConnection {
  readonly step: Step<PostgresConnection>;
  readonly close: () => Promise<void>;
}

async function examine(
  settings: DatabaseEnvironment,
  connection: PostgresConnection | null,
): Promise<Examined<PostgresConnection>> {
  if (connection === null) {
    const remedy = 'It must exist and be readable by this user; in a container: is it mounted?';
    return { findings: [failed(name, { detail: 'DATABASE_SSL_CA_FILE cannot be read', remedy })], value: null };
  }
  const place = placeOf(settings);
  try {
    await connection.connect();
    return { findings: [ok(name, place)], value: connection };
  } catch (error) {
    const { kind, code } = connectFailure(error);
    const detail = `${place}: ${texts[kind]} (${code})`;
    return { findings: [failed(name, { detail, remedy: remedies[kind] })], value: null };
  }
}

/** A server that hangs does not say goodbye: then the connections are broken. */
async function close(connection: PostgresConnection | null): Promise<void> {
  if (connection === null) return;
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
  const plan = { name, timeoutMs: connectMs, remedy: remedies.timeout };
  return {
    step: examination.check(plan, () => examine(settings, connection)),
    close: () => close(connection),
  };
}
