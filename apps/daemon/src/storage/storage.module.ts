import type { DynamicModule, InjectionToken, OnApplicationShutdown, Provider } from '@nestjs/common';
import { Module } from '@nestjs/common';

import type { DatabaseEnvironment, EncryptionKey } from '#contracts';
import type { GivenRestore, Ownership } from '#intents';
import { beginRecovery, IngestKeys, MemberKeys, openInstallation, requireOwnership } from '#intents';
import { migrations } from '#migrations';
import type { DatabaseLogin, DataSourceSettings, Logger } from '#platform';
import {
  AnchoredDatabase,
  Clock,
  ClockAnchor,
  connectFailure,
  Database,
  errorFields,
  keyedDigest,
  Keyring,
  KeyServiceAwayError,
  PooledReadingDatabase,
  PostgresConnection,
  Random,
  SharedDatabase,
  SharedSessionsError,
  sleepUnlessAborted,
  SystemClock,
  SystemRandom,
} from '#platform';

import { Configuration } from '../environment/configuration.module.js';
import { KeyProvider, keyServiceOf } from '../environment/key-provider.js';
import { MasterKeys } from '../environment/master-keys.js';
import { unlessStopped } from '../lifecycle/waiting.js';
import { Platform } from '../platform.module.js';
import { describeConnectFailure } from './describe-connect-failure.js';
import { ensureSchema } from './schema.js';

/** How long a start waits for a database or a key service that does not answer, and how often it asks. */
const startWaitMsMax = 60_000;
const startRetryMs = 500;

/** How this start differs from any other. */
export abstract class Start {
  /** A restore of the database that the operator has reported; null: there was none. */
  abstract readonly restore: GivenRestore | null;
  /** Ends a start that waits for the database; one that is past that continues, to be drained. */
  abstract readonly stopping: AbortSignal;
}

/** Everything that rests on the database. */
export abstract class Storage {
  abstract readonly connection: PostgresConnection;
  /** Refuses work while the clock is not anchored to it. */
  abstract readonly database: AnchoredDatabase;
  /** What people read with; null in a process without the role `operations`. */
  abstract readonly readers: PostgresConnection | null;
  abstract readonly clockAnchor: ClockAnchor;
  abstract readonly clock: SystemClock;
  abstract readonly random: SystemRandom;
  abstract readonly keyring: Keyring;
  /** Which keys the keyring works by. */
  abstract readonly masterKeys: MasterKeys;
  abstract readonly keyProvider: KeyProvider;
  abstract readonly keys: IngestKeys;
  abstract readonly ownership: Ownership;
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

/**
 * Tries again and again, for a while, what may work later.
 * @param onFailure tells of it; throws what no repetition mends
 */
async function withPatience<T>(
  work: () => Promise<T>,
  { clock, stopping }: Waiting,
  onFailure: (error: unknown) => void,
): Promise<T> {
  const giveUpAt = clock.monotonic() + startWaitMsMax;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (stopping.aborted || clock.monotonic() > giveUpAt) throw error;
      onFailure(error);
      await sleepUnlessAborted(clock, startRetryMs, stopping);
    }
  }
}

function connect(connection: PostgresConnection, waiting: Waiting): Promise<void> {
  return withPatience(
    () => connection.connect(),
    waiting,
    (error) => {
      if (connectFailure(error).kind === 'pooler') throw new SharedSessionsError(error);
      waiting.logger.warn(
        { ...errorFields(error), ...describeConnectFailure(error) },
        'the database cannot be used yet',
      );
    },
  );
}

function openKeys(
  provider: KeyProvider,
  keys: readonly EncryptionKey[],
  waiting: Waiting,
): Promise<readonly Uint8Array[]> {
  return withPatience(
    () => provider.open(keys),
    waiting,
    (error) => {
      if (!(error instanceof KeyServiceAwayError)) throw error;
      waiting.logger.warn(errorFields(error), 'the key service cannot be used yet');
    },
  );
}

/**
 * Has the master keys opened, connects, checks the schema and opens the installation's keys.
 * @throws {KeyServiceRefusedError | KeyServiceAwayError | SharedSessionsError | SchemaOfEarlierBuildError | SchemaBehindError | SchemaAheadError |
 * ForeignDatabaseError | FencedDatabaseError | SealBrokenError | RecoveryRefusedError}
 * @throws {StoppedError} where the process received a signal to stop while it waited
 */
async function openStorage(
  { live, environment }: Configuration,
  { logger }: Platform,
  { restore, stopping }: Start,
): Promise<Storage> {
  const { database: settings, encryptionKeys, wallet } = environment;
  if (settings === null || encryptionKeys === null) throw new Error('the database and a key must be configured');
  const clock = new SystemClock();
  const random = new SystemRandom();
  const waiting = { clock, logger, stopping };
  const keyProvider = new KeyProvider(keyServiceOf(live));
  const opened = await unlessStopped(openKeys(keyProvider, encryptionKeys, waiting), stopping);
  const login = (): DatabaseLogin => loginOf(live.current.database ?? settings);
  // One connection hears of work.
  const poolSize = settings.poolSize + (live.current.roles.includes('delivery') ? 1 : 0);
  const connection = postgresOf(settings, logger, { login, poolSize });
  await unlessStopped(connect(connection, waiting), stopping);
  await unlessStopped(connection.requireOwnSessions(), stopping);
  await ensureSchema(connection, logger, stopping);
  const clockAnchor = new ClockAnchor(clock, connection.database);
  await clockAnchor.start();
  const database = new AnchoredDatabase(connection.database, clockAnchor);
  const keyring = new Keyring(opened);
  const masterKeys = new MasterKeys(keyring, clock, opened);
  const partner = wallet === null ? null : { baseUrl: wallet.baseUrl, environment: wallet.environment };
  const installation = await openInstallation(database, partner, { keyring, random, now: clock.now() });
  const ownership = await requireOwnership(database, clock.now());
  const keys: IngestKeys = { members: new MemberKeys(keyring, random), ...installation, random };
  const asks = live.current.roles.some((role) => role === 'operations' || role === 'door');
  const readers = asks ? await connectReaders({ live, settings }, logger) : null;
  const opening = { connection, database, readers, clockAnchor, clock, random, keyring, masterKeys, keyProvider };
  const storage = { ...opening, keys, ownership };
  if (restore !== null) await markRecovered(storage, restore, logger);
  return storage;
}

/** How long a transaction of a reader may wait for us: it does nothing between its statements. */
const readersIdleMsMax = 10_000;

/** Connections of their own: however many people ask, and whatever they ask, nothing else waits for one of theirs. */
export function readersOf(
  settings: DatabaseEnvironment,
  logger: Logger,
  login: DataSourceSettings['login'] = () => loginOf(settings),
): PostgresConnection {
  const { poolSize, statementMsMax } = settings.reading;
  const serverSettings = [
    `statement_timeout=${statementMsMax}`,
    `idle_in_transaction_session_timeout=${readersIdleMsMax}`,
  ];
  return postgresOf(settings, logger, { login, poolSize, serverSettings, applicationName: 'loyaltyd-readers' });
}

async function connectReaders(
  { live, settings }: Pick<Configuration, 'live'> & { readonly settings: DatabaseEnvironment },
  logger: Logger,
): Promise<PostgresConnection> {
  const readers = readersOf(settings, logger, () => loginOf(live.current.database ?? settings));
  await readers.connect();
  return readers;
}

/**
 * What every repository is given. A failure of the readers' is no reason to doubt the clock: what is claimed and recorded by it goes
 * another way.
 */
function sharedDatabase({ database, readers, clockAnchor }: Storage): Database {
  if (readers === null) return database;
  const anchor = {
    get isTrusted() {
      return clockAnchor.isTrusted;
    },
    doubt: () => undefined,
  };
  return new SharedDatabase(database, new PooledReadingDatabase(new AnchoredDatabase(readers.database, anchor)));
}

/** Before anything is consumed or claimed. @throws {RecoveryRefusedError} */
async function markRecovered(
  { database, clock }: Pick<Storage, 'database' | 'clock'>,
  restore: GivenRestore,
  logger: Logger,
): Promise<void> {
  const { isNew, isOld, ...recovery } = await beginRecovery(database, { ...restore, now: clock.now() });
  const fields = Object.fromEntries(
    Object.entries(recovery).map(([name, time]) => [name, new Date(time).toISOString()]),
  );
  if (isNew) logger.warn(fields, 'recovery: what the lost history may have sent is not sent again without evidence');
  else if (isOld) {
    logger.warn(
      fields,
      'recovery: the flag is old and has no effect, take it out; after another restore tell its own moment',
    );
  } else logger.info(fields, 'recovery: this one has begun before');
}

/** The same text for refusals with the same wording, which it does not show. */
export function fingerprinter({ mac }: Pick<IngestKeys, 'mac'>): (text: string) => string {
  return (text) => keyedDigest(mac, text).toString('hex');
}

/** A part of it by its own class, for providers that need no more. */
const partOf = (token: InjectionToken, part: (storage: Storage) => unknown): Provider => ({
  provide: token,
  inject: [Storage],
  useFactory: part,
});

const parts = [
  partOf(Database, sharedDatabase),
  partOf(Clock, ({ clock }) => clock),
  partOf(Random, ({ random }) => random),
  partOf(IngestKeys, ({ keys }) => keys),
  partOf(MemberKeys, ({ keys }) => keys.members),
];

/** The database, its clock and the keys of what lies in it. Closed when nothing needs it any more. */
@Module({
  providers: [{ provide: Storage, inject: [Configuration, Platform, Start], useFactory: openStorage }, ...parts],
  exports: [Storage, Database, Clock, Random, IngestKeys, MemberKeys],
})
export class StorageModule implements OnApplicationShutdown {
  constructor(private readonly storage: Storage) {}

  static forRoot(start: Start): DynamicModule {
    return { module: StorageModule, global: true, providers: [{ provide: Start, useValue: start }] };
  }

  async onApplicationShutdown(): Promise<void> {
    const { connection, readers } = this.storage;
    await Promise.all([connection.close(), readers?.close()]);
  }
}
