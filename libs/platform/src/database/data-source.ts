import type { EventEmitter } from 'node:events';
import type { TlsOptions } from 'node:tls';
import pg from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { limitAnswers } from './answer-limit.js';
import { DatabaseError } from './database-error.js';
import { marked, type MigrationClass } from './migrations/migration.js';

const int8Oid = 20;
const timestamptzOid = 1184;
const int4ArrayOid = 1007;
const int8ArrayOid = 1016;

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('int8 value beyond 2^53');
  return value;
}

const utcSuffix = '+00';
/** `2026-11-21 09:15:04`, to which up to six digits of the second may be added. */
const wholeSecondChars = 19;
const zeroCode = '0'.charCodeAt(0);

/**
 * `2026-11-21 09:15:04.123456+00`, our connections' time zone being UTC. Digit by digit: `Date.parse` took four times as
 * long, and a claim reads three times an intent. Years before 100, of which `Date.UTC` makes others, and beyond 9999, BC and
 * infinity are `Date.parse`'s, as ISO 8601: the only form with a defined meaning.
 */
function parseEpochMs(text: string): number {
  const end = text.length - utcSuffix.length;
  const isUsual =
    text.charAt(4) === '-' && !text.startsWith('0') && text.endsWith(utcSuffix) && end >= wholeSecondChars;
  if (!isUsual) return parseUnusualTime(text);
  const msEnd = Math.min(end, wholeSecondChars + 4);
  const ms = digits(text, wholeSecondChars + 1, msEnd) * 10 ** (wholeSecondChars + 4 - msEnd);
  const time = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)] as const;
  return Date.UTC(digits(text, 0, 4), digits(text, 5, 7) - 1, digits(text, 8, 10), ...time, ms);
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 10 + text.charCodeAt(at) - zeroCode;
  return value;
}

function parseUnusualTime(text: string): number {
  if (!text.endsWith(utcSuffix)) return Date.parse(text);
  return Date.parse(`${text.slice(0, -utcSuffix.length).replace(' ', 'T')}Z`);
}

function parseInt8Array(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(parseSafeInteger);
}

/** The driver's own makes an object for each character: a claim reads two for each intent, nearly always empty. */
function parseInt4Array(text: string): (number | null)[] {
  if (text === '{}') return [];
  const elements = text.slice(1, -1).split(',');
  return elements.map((element) => (element === 'NULL' ? null : Number(element)));
}

const parsers = new Map<number, (text: string) => unknown>([
  [int8Oid, parseSafeInteger],
  [timestamptzOid, parseEpochMs],
  [int8ArrayOid, parseInt8Array],
  [int4ArrayOid, parseInt4Array],
]);

type AnyParser = (oid: number, format: string) => unknown;

const driverParser = pg.types.getTypeParser as unknown as AnyParser;

/** int8 and timestamptz as numbers, for our statements only: the driver's global parsers stay untouched. */
export const columnParsers = {
  getTypeParser: (oid: number, format?: string) => parsers.get(oid) ?? driverParser(oid, format ?? 'text'),
} as unknown as pg.CustomTypesConfig;

/** What a connection is made with. */
export interface DatabaseLogin {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** TLS options, or false for none. */
  readonly ssl: TlsOptions | false;
}

/**
 * The driver holds a certificate against `localhost` where the address is an IP address: it hands over an open socket
 * and no name (node-postgres 8.23, `lib/connection.js`).
 */
function tlsTo({ url, ssl }: DatabaseLogin): object | false {
  if (ssl === false) return false;
  return { ...ssl, host: new URL(url).hostname.replace(/^\[|\]$/g, '') };
}

/**
 * A client class that asks for its login each time one is made: a pool's new connections follow a changed password.
 * @param open holds every client from its making until its connection is gone
 */
function clientOf(login: () => DatabaseLogin, open: Set<pg.Client>): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      const current = login();
      super({ ...config, connectionString: current.url, ssl: tlsTo(current) });
      open.add(this);
      this.once('end', () => open.delete(this));
    }
  };
}

/** A statement that runs longer is cancelled: no query of ours takes seconds at the sizes it is bounded to. */
const statementTimeoutMs = 30_000;
/** A transaction left open holds row locks and the MVCC horizon; one minute is far beyond any of ours. */
const idleInTransactionTimeoutMs = 60_000;
/** Tells a session that was opened with our settings. Postgres itself knows no such setting. */
export const sessionMark = { name: 'loyaltyd.session', value: 'own' } as const;
/**
 * Of each connection. Whoever runs the server may have set others for everybody, the database or our role: what our statements
 * rest on is asked for.
 */
const sessionSettings: readonly string[] = [
  'plan_cache_mode=force_generic_plan',
  'random_page_cost=1.1',
  'timezone=UTC',
  // Times are read as ISO 8601 writes them.
  'datestyle=ISO',
  // Backslashes and NULL mean in our statements what the SQL standard says.
  'standard_conforming_strings=on',
  'array_nulls=on',
  `statement_timeout=${statementTimeoutMs}`,
  `idle_in_transaction_session_timeout=${idleInTransactionTimeoutMs}`,
  // Statements that wait for a lock are cut as any other; a pool's connections, and the one that listens, are idle by nature.
  'lock_timeout=0',
  'idle_session_timeout=0',
  `${sessionMark.name}=${sessionMark.value}`,
];
/** The server ends a statement before that, and says so: a client that hears nothing for so long has lost it. */
const answerMsMax = statementTimeoutMs + 10_000;
const connectTimeoutMs = 5_000;
/**
 * A server that vanishes without a word (fenced, powered off) leaves sockets that wait for ever. After so long without
 * traffic they are asked, and given up some ten questions later, one a second (libuv).
 */
const keepAliveAfterMs = 10_000;
/** A connection is replaced after so long, so that none outlives a changed password or certificate by more. */
const connectionAgeSecondsMax = 1_800;
/** What is asked for every few seconds must not connect anew each time: that costs both sides milliseconds. */
const connectionIdleMsMax = 120_000;
/** Migrations hold a lock on one connection while they run on another. */
const poolSizeMin = 2;

export interface DataSourceSettings extends DatabaseLogin {
  /** Asked at each new connection in place of `url` and `ssl`, where they may change. */
  readonly login?: () => DatabaseLogin;
  /** Connections at most. */
  readonly poolSize: number;
  readonly applicationName: string;
  readonly migrations: readonly MigrationClass[];
  /** Called when an idle pooled connection breaks; the pool replaces it by itself. */
  readonly onPoolError: (error: unknown) => void;
  /** A connection is broken when the server owes an answer for so long. */
  readonly answerMsMax?: number;
  /** More settings of each connection, such as `enable_seqscan=off`. */
  readonly serverSettings?: readonly string[];
}

/**
 * TypeORM listens for a connection's errors one microtask after the pool has handed it over and stopped listening itself.
 * One packet that brings a result and the server's end in between ended the process (seen in `npm run chaos`, when
 * Postgres went down under load). Queries and the pool hear of it all the same.
 */
function alwaysListen(client: EventEmitter): void {
  client.on('error', () => undefined);
}

/**
 * TypeORM's data source with what TypeORM keeps to itself: the pool, to which our statements go straight, and the
 * connections. Both are known by the classes that we give to TypeORM and to the pool.
 */
export class PooledDataSource extends DataSource {
  private readonly made: { pool: pg.Pool | null };

  /** @param clients every client from its making until its connection is gone, also those that the pool has let go */
  constructor(
    options: DataSourceOptions & { readonly type: 'postgres' },
    readonly clients: ReadonlySet<pg.Client>,
  ) {
    const made: { pool: pg.Pool | null } = { pool: null };
    class Pool extends pg.Pool {
      constructor(config: pg.PoolConfig) {
        super(config);
        made.pool = this;
      }
    }
    super({ ...options, driver: { Pool } });
    this.made = made;
  }

  /** @throws {DatabaseError} where the data source was never initialized */
  get pool(): pg.Pool {
    if (this.made.pool === null) throw new DatabaseError('connect', 'unavailable', { sqlState: null, cause: null });
    return this.made.pool;
  }
}

/**
 * A TypeORM DataSource for PostgreSQL 15-18: pool, transactions and the migration runner. Not yet connected.
 *
 * Statements find their rows by key, so a plan that guesses ten rows for an array is the plan we want at any length.
 * Planning each execution anew costs Postgres twice as much as running it, and left to itself (`plan_cache_mode=auto`) it
 * did so for ever where the lists are short: a guess of ten rows looks dearer than the one row at hand. Only a bound LIMIT
 * misleads such a plan (design.md section 4): limits stand in the text. See docs/decisions/0015.
 *
 * `random_page_cost=1.1`: with the default 4, made for turning disks, joins by key became scans of whole tables.
 */
export function createDataSource(settings: DataSourceSettings): PooledDataSource {
  const clients = new Set<pg.Client>();
  const options: DataSourceOptions & { readonly type: 'postgres' } = {
    type: 'postgres',
    url: settings.url,
    ssl: settings.ssl,
    applicationName: settings.applicationName,
    poolSize: Math.max(poolSizeMin, settings.poolSize),
    connectTimeoutMS: connectTimeoutMs,
    installExtensions: false,
    migrations: settings.migrations.map(marked),
    migrationsTableName: 'schema_migration',
    migrationsTransactionMode: 'each',
    poolErrorHandler: settings.onPoolError,
    extra: {
      onConnect: (client: EventEmitter) => {
        alwaysListen(client);
        limitAnswers(client, settings.answerMsMax ?? answerMsMax);
      },
      Client: clientOf(settings.login ?? (() => settings), clients),
      idleTimeoutMillis: connectionIdleMsMax,
      maxLifetimeSeconds: connectionAgeSecondsMax,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMs,
      // Statements that need not wait for each other's answers share a round trip (docs/decisions/0015-what-makes-it-fast.md).
      pipeline: true,
      options: [...sessionSettings, ...(settings.serverSettings ?? [])].map((setting) => `-c ${setting}`).join(' '),
    },
  };
  return new PooledDataSource(options, clients);
}
