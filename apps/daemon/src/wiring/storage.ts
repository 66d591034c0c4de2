import type { DatabaseEnvironment } from '#contracts';
import type { IngestKeys } from '#intents';
import { claimCell, MemberKeys, openInstallation } from '#intents';
import { migrations } from '#migrations';
import type { DatabaseLogin, DataSourceSettings, Logger } from '#platform';
import {
  AnchoredDatabase,
  ClockAnchor,
  errorFields,
  Keyring,
  nap,
  PostgresConnection,
  SystemClock,
  SystemRandom,
} from '#platform';

import { describeConnectFailure } from '../doctor/postgres/describe-connect-failure.js';
import type { LiveEnvironment } from '../environment/live-environment.js';
import { unlessStopped } from '../lifecycle/unless-stopped.js';
import { ensureSchema } from './ensure-schema.js';

/** How long a start waits for a database that does not answer, and how often it asks. */
const databaseWaitMsMax = 60_000;
const databaseRetryMs = 500;

/** Everything that rests on the database. */
export interface Storage {
  readonly connection: PostgresConnection;
  /** Refuses work while the clock is not anchored to it. */
  readonly database: AnchoredDatabase;
  readonly clockAnchor: ClockAnchor;
  readonly clock: SystemClock;
  readonly random: SystemRandom;
  readonly keyring: Keyring;
  readonly keys: IngestKeys;
}

function loginOf({ url, ssl, sslCa }: DatabaseEnvironment): DatabaseLogin {
  if (ssl === 'disable') return { url: url.value, ssl: false };
  if (ssl === 'require' && sslCa === null) return { url: url.value, ssl: { rejectUnauthorized: false } };
  // As libpq: an authority that is given is asked for, whatever host it signed for.
  const anyHost = ssl === 'require' ? { checkServerIdentity: () => undefined } : {};
  const ca = sslCa === null ? {} : { ca: sslCa.value };
  return { url: url.value, ssl: { ...ca, ...anyHost, rejectUnauthorized: true } };
}

/** The configured database, not yet connected. */
export function postgresOf(
  environment: DatabaseEnvironment,
  logger: Logger,
  own: Partial<Pick<DataSourceSettings, 'applicationName' | 'poolSize' | 'serverSettings' | 'login'>> = {},
): PostgresConnection {
  return new PostgresConnection({
    ...loginOf(environment),
    poolSize: environment.poolSize,
    applicationName: 'loyaltyd',
    migrations,
    onPoolError: (error) => {
      logger.warn(errorFields(error), 'an idle database connection broke');
    },
    ...own,
  });
}

interface Waiting {
  readonly clock: SystemClock;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

async function connect(connection: PostgresConnection, { clock, logger, stopping }: Waiting): Promise<void> {
  const giveUpAt = clock.monotonic() + databaseWaitMsMax;
  for (;;) {
    try {
      await connection.connect();
      return;
    } catch (error) {
      if (stopping.aborted || clock.monotonic() > giveUpAt) throw error;
      logger.warn({ ...errorFields(error), ...describeConnectFailure(error) }, 'the database cannot be used yet');
      await nap(clock, databaseRetryMs, stopping);
    }
  }
}

/**
 * Connects, checks the schema and opens the installation's keys.
 * @throws {SchemaBehindError | SchemaAheadError | ForeignDatabaseError | ForeignCellError | SealBrokenError}
 * @throws {StoppedError} where it was told to stop while it waited
 */
export async function openStorage(live: LiveEnvironment, logger: Logger, stopping: AbortSignal): Promise<Storage> {
  const { database: settings, encryptionKeys, wallet, roles, cell } = live.current;
  if (settings === null || encryptionKeys === null) throw new Error('the database and a key must be configured');
  const clock = new SystemClock();
  const random = new SystemRandom();
  const login = (): DatabaseLogin => loginOf(live.current.database ?? settings);
  const connection = postgresOf(settings, logger, { login });
  await unlessStopped(connect(connection, { clock, logger, stopping }), stopping);
  await ensureSchema(connection, logger, stopping);
  const clockAnchor = new ClockAnchor(clock, connection.database);
  await clockAnchor.start();
  const database = new AnchoredDatabase(connection.database, clockAnchor);
  const keyring = new Keyring(encryptionKeys);
  const partner = wallet === null ? null : { baseUrl: wallet.baseUrl, environment: wallet.environment };
  const installation = await openInstallation(database, partner, { keyring, random, now: clock.now() });
  if (roles.includes('ingest')) await claimCell(database, cell);
  const keys: IngestKeys = { members: new MemberKeys(keyring, random), ...installation, random };
  return { connection, database, clockAnchor, clock, random, keyring, keys };
}
