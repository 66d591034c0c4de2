import { randomBytes } from 'node:crypto';

import pg from 'pg';

import { startEmbeddedPostgres, waitUntil } from '#embedded';
import type { IssuedCertificate } from '#test-support';
import { useCertificate } from '#test-support';

import { serverCpuSeconds } from './process-times.js';
import type { StatementCost, StatementPlan } from './statements.js';
import {
  explainStatements,
  forgetStatements,
  planSettings,
  readPlans,
  readStatements,
  statementSettings,
} from './statements.js';

/** Shown with the figures: they decide what a commit costs. */
const settingNames = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_compression',
  'wal_sync_method',
  'shared_buffers',
  'max_wal_size',
  'checkpoint_timeout',
];

const embeddedOrigin = 'embedded';
const leaveTimeoutMs = 2_000;

/** When an answer was recorded is asked of the server: a commit's own time costs it ten bytes. */
const commitTimes = ['track_commit_timestamp=on'];

/** The server of a run. Databases are cloned from templates, so that every round begins with the same bytes. */
export interface BenchPostgres {
  readonly origin: string;
  readonly settings: Readonly<Record<string, string>>;
  /** An empty database; fill it, then clone it. */
  create(name: string): Promise<string>;
  /** Whether a database of that name is there. */
  has(name: string): boolean;
  clone(template: string, name: string): Promise<string>;
  drop(name: string): Promise<void>;
  /** Bytes of write-ahead log since the server's beginning. */
  walBytes(): Promise<number>;
  /** Pages that the log holds as a whole, since the server's beginning. */
  walPages(): Promise<number>;
  /** Processor time of the whole server so far; null where it does not run on this machine. */
  cpuSeconds(): Promise<number | null>;
  /** Committed so far in the database of that name; its sessions tell with a delay of up to a second. */
  transactions(name: string): Promise<number>;
  /** It speaks TLS with whoever asks for it. @returns false where somebody else runs the server: then it is as they have it */
  offerTls(certificate: IssuedCertificate): Promise<boolean>;
  /** A setting of that database that only a superuser may change; null: as the server has it. */
  configure(name: string, setting: string, value: string | null): Promise<void>;
  /** Writes all that has changed to the disk: the next change of each page is then logged as a whole. */
  checkpoint(): Promise<void>;
  /** Begins to follow the costs of statements. Only of a server that was started to be profiled. */
  followStatements(): Promise<void>;
  /** Of the database of that name, since they are followed. */
  statementCosts(name: string): Promise<StatementCost[]>;
  /** From now on the server writes down how it executes the statements of the database of that name. */
  explainStatements(name: string): Promise<void>;
  statementPlans(name: string): Promise<StatementPlan[]>;
  stop(): Promise<void>;
}

const withDatabase = (url: string, name: string): string => {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
};

/** @throws when the server would lose commits: its figures would compare to nothing */
const readSettings = async (client: pg.Client): Promise<Record<string, string>> => {
  const settings: Record<string, string> = {};
  for (const name of settingNames) {
    const { rows } = await client.query<Record<string, string>>(`SHOW ${name}`);
    settings[name] = rows[0]?.[name] ?? '';
  }
  if (settings['fsync'] !== 'on' || settings['synchronous_commit'] === 'off') {
    throw new Error('the benchmark wants fsync and synchronous_commit on');
  }
  return settings;
};

interface BenchServer {
  /** By whom what is measured works: an ordinary user where the server is ours. */
  readonly url: string;
  readonly adminUrl: string;
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/**
 * Uses `DATABASE_URL` (its user must be allowed to create databases; to be profiled, it must have loaded
 * pg_stat_statements; plans are shown where it logs to jsonlog too), else starts an embedded server.
 */
const pickServer = async (settings: readonly string[]): Promise<BenchServer> => {
  const given = process.env['DATABASE_URL'];
  if (given) return { url: given, adminUrl: given, origin: 'DATABASE_URL', stop: async () => undefined };
  const { url, adminUrl, stop } = await startEmbeddedPostgres({
    database: 'postgres',
    durable: true,
    settings: [...commitTimes, ...settings],
  });
  return { url, adminUrl, origin: embeddedOrigin, stop };
};

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
};

/** A pool that has ended may still be taking leave. Who stays longer is disconnected. */
const awaitLeave = async (admin: pg.Client, database: string): Promise<void> => {
  const isEmpty = async (): Promise<boolean> => {
    const { rowCount } = await admin.query('SELECT FROM pg_stat_activity WHERE datname = $1', [database]);
    return rowCount === 0;
  };
  await waitUntil(isEmpty, { what: 'the last connection to end', timeoutMs: leaveTimeoutMs }).catch(() => undefined);
};

/** @param options `settings`: further ones of a server of ours, each `name=value` */
export const startBenchPostgres = async ({
  isProfiled = false,
  settings = [],
}: { readonly isProfiled?: boolean; readonly settings?: readonly string[] } = {}): Promise<BenchPostgres> => {
  const server = await pickServer([...settings, ...(isProfiled ? [...statementSettings, ...planSettings] : [])]);
  const prefix = `loyaltyd_bench_${randomBytes(4).toString('hex')}_`;
  const created = new Set<string>();
  const owner = pg.escapeIdentifier(decodeURIComponent(new URL(server.url).username));
  const admin = await connect(server.adminUrl);
  // By files: a large template copied through the log is written back for long after, beside what is measured.
  const create = async (name: string, template: string): Promise<string> => {
    created.add(name);
    await admin.query(`CREATE DATABASE ${prefix}${name} TEMPLATE ${template} OWNER ${owner} STRATEGY FILE_COPY`);
    return withDatabase(server.url, `${prefix}${name}`);
  };
  const drop = async (name: string): Promise<void> => {
    await awaitLeave(admin, `${prefix}${name}`);
    await admin.query(`DROP DATABASE IF EXISTS ${prefix}${name} WITH (FORCE)`);
    created.delete(name);
  };
  return {
    origin: server.origin,
    settings: await readSettings(admin),
    create: (name) => create(name, 'template0'),
    has: (name) => created.has(name),
    clone: async (template, name) => {
      const url = await create(name, `${prefix}${template}`);
      await admin.query('CHECKPOINT');
      return url;
    },
    drop,
    walBytes: async () => {
      const { rows } = await admin.query<{ bytes: string }>("SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes");
      return Number(rows[0]?.bytes);
    },
    walPages: async () => {
      const { rows } = await admin.query<{ pages: string }>('SELECT wal_fpi AS pages FROM pg_stat_wal');
      return Number(rows[0]?.pages);
    },
    cpuSeconds: async () => {
      const { rows } = await admin.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      return serverCpuSeconds(rows[0]?.pid ?? 0);
    },
    transactions: async (name) => {
      const text = 'SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = $1';
      const { rows } = await admin.query<{ commits: string }>(text, [`${prefix}${name}`]);
      return Number(rows[0]?.commits);
    },
    offerTls: async (certificate) => {
      if (server.origin !== embeddedOrigin) return false;
      await useCertificate(server, certificate);
      return true;
    },
    configure: async (name, setting, value) => {
      const change = value === null ? `RESET ${setting}` : `SET ${setting} = ${pg.escapeLiteral(value)}`;
      await admin.query(`ALTER DATABASE ${prefix}${name} ${change}`);
    },
    checkpoint: async () => {
      await admin.query('CHECKPOINT');
    },
    followStatements: () => forgetStatements(admin),
    statementCosts: (name) => readStatements(admin, `${prefix}${name}`),
    explainStatements: (name) => explainStatements(admin, `${prefix}${name}`),
    statementPlans: (name) => readPlans(admin, `${prefix}${name}`),
    stop: async () => {
      for (const name of created) await drop(name);
      await admin.end();
      await server.stop();
    },
  };
};

/** Runs SQL on one connection of its own; the rows of the last statement. */
export const runSql = async <Row extends object>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> => {
  const client = await connect(url);
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
};

/** What a database looks like after a while of rest: statistics gathered, hint bits set. */
export const settle = async (url: string): Promise<void> => {
  await runSql(url, 'VACUUM (ANALYZE)');
};
