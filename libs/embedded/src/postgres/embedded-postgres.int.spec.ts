import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { queryOnce } from '#test-support';

import { startEmbeddedPostgres } from './embedded-postgres.js';

const startTimeoutMs = 30_000;

describe('the embedded Postgres', () => {
  it(
    'answers, takes 200 connections and leaves nothing behind',
    async () => {
      const postgres = await startEmbeddedPostgres({ database: 'shop', durable: false });
      // Its own folder only: in the machine's temporary one, other tests' servers come and go meanwhile.
      const [shown] = await queryOnce(postgres.adminUrl, 'SHOW data_directory');
      const { data_directory: dataDirectory } = shown as { readonly data_directory: string };
      try {
        expect(dataDirectory).toContain('loyaltyd-postgres-');
        const rows = await queryOnce(
          postgres.url,
          "SELECT current_database() AS database, current_setting('max_connections')::int >= 200 AS many, 'ä' < 'z' AS by_language",
        );
        expect(rows).toEqual([{ database: 'shop', many: true, by_language: false }]);
        expect(postgres.version).toMatch(/^18\./);
      } finally {
        await postgres.stop();
      }
      await expect(queryOnce(postgres.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
      await expect(access(dirname(dataDirectory))).rejects.toThrow('ENOENT');
    },
    startTimeoutMs,
  );

  it(
    'is used by somebody who may not run the server, as everywhere else',
    async () => {
      const postgres = await startEmbeddedPostgres({ database: 'shop', durable: false });
      try {
        const user = `SELECT current_user::text AS name, rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls AS is_more
          FROM pg_roles WHERE rolname = current_user`;
        expect(await queryOnce(postgres.url, user)).toEqual([{ name: 'loyaltyd', is_more: false }]);
        expect(await queryOnce(postgres.adminUrl, user)).toEqual([{ name: 'postgres', is_more: true }]);
        await queryOnce(postgres.url, 'CREATE SCHEMA wallet');
      } finally {
        await postgres.stop();
      }
    },
    startTimeoutMs,
  );

  it(
    'refuses a wrong password',
    async () => {
      const postgres = await startEmbeddedPostgres({ database: 'shop', durable: false });
      try {
        const url = new URL(postgres.url);
        url.password = 'guessed';
        await expect(queryOnce(url.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
      } finally {
        await postgres.stop();
      }
    },
    startTimeoutMs,
  );

  describe('with a data directory', () => {
    let dataDirectory: string;

    beforeEach(async () => {
      dataDirectory = await mkdtemp(join(tmpdir(), 'loyaltyd-data-'));
    });

    afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

    it(
      'keeps data over a restart, also when a killed server left its lock file',
      async () => {
        const first = await startEmbeddedPostgres({ database: 'shop', dataDirectory });
        await queryOnce(first.url, 'CREATE TABLE kept AS SELECT 42 AS value');
        const lockFile = join(dataDirectory, 'data', 'postmaster.pid');
        const lock = await readFile(lockFile, 'utf8');
        await first.stop();
        // As after a restart of the machine: the number in the lock file now belongs to another program.
        await writeFile(lockFile, lock.replace(/^\d+/, `${process.pid}`));

        const second = await startEmbeddedPostgres({ database: 'shop', dataDirectory });
        try {
          expect(await queryOnce(second.url, 'SELECT value FROM kept')).toEqual([{ value: 42 }]);
        } finally {
          await second.stop();
        }
      },
      2 * startTimeoutMs,
    );

    it(
      'is handed over where the superuser had filled it',
      async () => {
        const first = await startEmbeddedPostgres({ database: 'shop', dataDirectory });
        await queryOnce(
          first.adminUrl,
          `ALTER DATABASE shop OWNER TO postgres;
           CREATE TABLE kept (id int GENERATED ALWAYS AS IDENTITY); CREATE SCHEMA side; CREATE TABLE side.kept (id int);
           CREATE FUNCTION side.one() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
        );
        await first.stop();
        const second = await startEmbeddedPostgres({ database: 'shop', dataDirectory });
        try {
          await queryOnce(
            second.url,
            'ALTER TABLE kept ADD COLUMN more int; DROP TABLE side.kept; DROP FUNCTION side.one(); DROP SCHEMA side',
          );
          await queryOnce(second.url, 'CREATE TABLE new (id int)');
        } finally {
          await second.stop();
        }
      },
      2 * startTimeoutMs,
    );

    it(
      'is refused while another server holds it',
      async () => {
        const first = await startEmbeddedPostgres({ database: 'shop', dataDirectory });
        try {
          await expect(startEmbeddedPostgres({ database: 'shop', dataDirectory })).rejects.toThrow('to let go of');
        } finally {
          await first.stop();
        }
      },
      2 * startTimeoutMs,
    );
  });
});
