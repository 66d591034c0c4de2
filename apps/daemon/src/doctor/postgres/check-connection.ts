import type { DatabaseEnvironment } from '#contracts';
import type { Logger, PostgresConnection } from '#platform';
import { SystemClock } from '#platform';

import { withinGrace } from '../../lifecycle/waiting.js';
import { describeConnectFailure, timeoutRemedy } from '../../storage/describe-connect-failure.js';
import { postgresOf } from '../../storage/storage.module.js';
import type { Examination, Examined, Step } from '../examination.js';
import { failed, ok } from '../finding.js';
import { connectMs, readMs, releaseMs } from '../limits.js';

const name = 'postgres.connection';
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
export interface OpenedConnection {
  readonly step: Step<PostgresConnection>;
  readonly close: () => Promise<void>;
}

async function examine(
  settings: DatabaseEnvironment,
  connection: PostgresConnection,
): Promise<Examined<PostgresConnection>> {
  const place = placeOf(settings);
  try {
    await connection.connect();
    return { findings: [ok(name, place)], value: connection };
  } catch (error) {
    const { detail, remedy } = describeConnectFailure(error);
    return { findings: [failed(name, { detail: `${place}: ${detail}`, remedy })], value: null };
  }
}

/** A server that hangs does not say goodbye: then the connections are broken. */
async function close(connection: PostgresConnection): Promise<void> {
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
  const plan = { name, timeoutMs: connectMs, remedy: timeoutRemedy };
  return {
    step: examination.check(plan, () => examine(settings, connection)),
    close: () => close(connection),
  };
}
