export { BackgroundLoop, sleepUnlessAborted } from './background-loop.js';
export { anchorClock, AnchoredDatabase, ClockAnchor, readDatabaseClock } from './clock/clock-anchor.js';
export { Clock, SystemClock } from './clock/clock.js';
export type { CancelTimer } from './clock/clock.js';
export { digest, keyedDigest, keyedDigestOf } from './crypto/digests.js';
export { KeyService, KeyServiceAwayError, KeyServiceRefusedError } from './crypto/key-service.js';
export { Keyring, MasterKeyMissingError } from './crypto/keyring.js';
export { seal, SealBrokenError, unseal } from './crypto/seal.js';
export { VaultTransit } from './crypto/vault-transit.js';
export type { VaultLogin, VaultSettings } from './crypto/vault-transit.js';
export { sealContext } from './crypto/seal-context.js';
export type { SealContext } from './crypto/seal-context.js';
export { booleanArray, int4Array, int8Array, jsonbArray, timestamptzArray } from './database/array-parameters.js';
export { createDataSource } from './database/data-source.js';
export type { DatabaseLogin, DataSourceSettings } from './database/data-source.js';
export { connectFailure, DatabaseError, objectMessage } from './database/database-error.js';
export type { ConnectFailureKind } from './database/database-error.js';
export { Database, readOnlyDatabase } from './database/database.js';
export type { SqlParameter, SqlResult, SqlSession, SqlStatement } from './database/database.js';
export {
  freeSpace,
  inspectConnections,
  inspectServer,
  inspectSettings,
  inspectSize,
  listLongTransactions,
  listReplicationSlots,
} from './database/inspect-database.js';
export type { FreeSpace, InspectedConnections, InspectedServer, InspectedSize } from './database/inspect-database.js';
export type { StatementEffect } from './database/migrations/judge-statement.js';
export { readMigration, versionOf } from './database/migrations/migration.js';
export type { Migration, MigrationClass, ReadMigration } from './database/migrations/migration.js';
export {
  MigrationBusyError,
  MigrationRefusedError,
  NoRightToMigrateError,
  runMigrations,
  TableBusyError,
} from './database/migrations/run-migrations.js';
export type { PlannedMigration, SchemaState, StoppedMigration } from './database/migrations/run-migrations.js';
export { PostgresConnection, SharedSessionsError } from './database/postgres-connection.js';
export {
  asNoReader,
  asReader,
  PooledReadingDatabase,
  ReadersBusyError,
  ReadingDatabase,
  SharedDatabase,
} from './database/reading-database.js';
export { TypeormDatabase } from './database/typeorm-database.js';
export { WorkListener, WorkNotifier } from './database/work-notifications.js';
export { errorCode, errorName, stackOf, SafeError } from './errors.js';
export { createLogger, errorFields, Logger, NestLogger } from './logger.js';
export type { LogFields } from './logger.js';
export { AccessTokens, tokenLifetimeMs } from './oauth/access-tokens.js';
export { tokenLifetimeFallbackMs, tokenRefreshMarginMs, tokenRetryDelayMs } from './oauth/access-tokens.js';
export type {
  AccessTokenOptions,
  TokenAnswer,
  TokenGrant,
  TokenObserver,
  TokenRenewal,
  TokenRequests,
} from './oauth/access-tokens.js';
export { basicLogin, ClientCredentials } from './oauth/client-credentials.js';
export type { ClientCredentialsSettings } from './oauth/client-credentials.js';
export { NoAnswerError, postOnce } from './post-once.js';
export { probeAddress, tlsProblem } from './probe-address.js';
export type { AddressFinding, AddressProbe, TlsProblem } from './probe-address.js';
export { jitteredDelayMs, Random, SystemRandom } from './random.js';
export { isRawJson, rawJson } from './raw-json.js';
export { readFileStart, readFileStartSync } from './read-file-start.js';
export { setUpCollector } from './garbage-collection.js';
export { openTracing } from './tracing/open-tracing.js';
export { noSpan, noTracer } from './tracing/tracing.js';
export { Tracing } from './tracing/tracing.js';
export type { Span, SpanAttributes, SpanBegin, Tracer } from './tracing/tracing.js';
export { IdleWait } from './idle-wait.js';
export { LocalWake } from './wake.js';
export type { Wake } from './wake.js';
