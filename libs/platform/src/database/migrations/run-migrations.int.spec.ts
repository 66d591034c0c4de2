import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { testDatabase, type TestDatabase } from '#test-support';
import type { DataSourceSettings } from '../data-source.js';
import { PostgresConnection } from '../postgres-connection.js';
import type { BreakingNote } from './migration.js';

class MakesTable1000000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE made (id int); SELECT pg_sleep(0.05)');
  }

  async down(): Promise<void> {
    throw new Error('forward only');
  }
}

class FillsTable1000000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('INSERT INTO made VALUES (1)');
  }

  async down(): Promise<void> {
    throw new Error('forward only');
  }
}

class Fails1000000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('INSERT INTO made VALUES (2); SELECT 1 / 0');
  }

  async down(): Promise<void> {
    throw new Error('forward only');
  }
}

/** What no ordinary owner of a database may do, and no managed Postgres lets anybody do. */
class AsksForTooMuch1000000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("CREATE FUNCTION f() RETURNS int LANGUAGE sql SET app.word = 'x' AS 'SELECT 1'");
  }

  async down(): Promise<void> {
    throw new Error('forward only');
  }
}

/** What the marks need; the real one is among our migrations. */
class MakesMarks1000000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE schema_mark (migration text PRIMARY KEY, serves bigint NOT NULL)');
  }

  async down(): Promise<void> {
    throw new Error('forward only');
  }
}

class Expands1000000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE made ADD COLUMN colour text');
  }

  async down(): Promise<void> {
    throw new Error('forward only');
  }
}

class Contracts1000000000006 implements MigrationInterface {
  readonly breaking: BreakingNote = { serves: 1_000_000_000_005, why: 'the column is gone' };

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE made DROP COLUMN id');
  }

  async down(): Promise<void> {
    throw new Error('forward only');
  }
}

class IndexesConcurrently1000000000007 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX CONCURRENTLY made_by_id ON made (id)');
  }

  async down(): Promise<void> {
    throw new Error('forward only');
  }
}

const expanded = [MakesTable1000000000001, MakesMarks1000000000004, Expands1000000000005];
const contracted = [...expanded, Contracts1000000000006];

const both = [MakesTable1000000000001, FillsTable1000000000002];
const names = both.map(({ name }) => name);

let test: TestDatabase;
const opened: PostgresConnection[] = [];

beforeEach(async () => {
  test = await testDatabase({ migrate: false });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.close()));
  await test.dispose();
});

async function connect(migrations: DataSourceSettings['migrations']): Promise<PostgresConnection> {
  const settings = {
    poolSize: 2,
    ssl: false,
    applicationName: 'migrations-spec',
    onPoolError: () => undefined,
  } as const;
  const connection = new PostgresConnection({ ...settings, url: test.url, migrations });
  opened.push(connection);
  await connection.connect();
  return connection;
}

async function made(connection: PostgresConnection): Promise<number> {
  const { rows } = await connection.database.execute<{ count: number }>({
    name: 'made',
    text: 'SELECT count(*) FROM made',
  });
  return rows[0]!.count;
}

describe('migrating', () => {
  it('runs what is pending, in order, once', async () => {
    const connection = await connect(both);
    expect(await connection.pendingMigrations()).toEqual(names);
    expect(await connection.runMigrations()).toEqual(names);
    expect(await connection.pendingMigrations()).toEqual([]);
    expect(await connection.runMigrations()).toEqual([]);
    expect(await made(connection)).toBe(1);
  });

  it('runs only what came new', async () => {
    await (await connect(both.slice(0, 1))).runMigrations();
    const newer = await connect(both);
    expect(await newer.pendingMigrations()).toEqual(names.slice(1));
    expect(await newer.runMigrations()).toEqual(names.slice(1));
  });

  it('runs each once when several processes start together', async () => {
    const connections = await Promise.all([connect(both), connect(both), connect(both)]);
    const ran = await Promise.all(connections.map((connection) => connection.runMigrations()));
    expect(ran.flat()).toEqual(names);
    expect(await made(connections[0])).toBe(1);
  });

  // Whoever waited kept a snapshot, and an index that is built concurrently waits for those: both stood for ten minutes.
  it('builds an index concurrently while another process waits for its turn', async () => {
    const migrations = [MakesTable1000000000001, IndexesConcurrently1000000000007];
    const connections = await Promise.all([connect(migrations), connect(migrations)]);
    const ran = await Promise.all(connections.map((connection) => connection.runMigrations()));
    expect(ran.flat()).toEqual(migrations.map(({ name }) => name));
  });

  it('keeps nothing of one that fails, and lets the next process try', async () => {
    const broken = await connect([...both, Fails1000000000003]);
    await expect(broken.runMigrations()).rejects.toMatchObject({
      name: 'MigrationRefusedError',
      message: expect.stringMatching('^migration Fails1000000000003 was refused: SQLSTATE 22012;') as string,
      cause: expect.objectContaining({ message: 'division by zero' }) as Error,
    });
    expect(await made(broken)).toBe(1);
    expect(await broken.pendingMigrations()).toEqual([Fails1000000000003.name]);
    expect(await (await connect(both)).runMigrations()).toEqual([]);
  });

  it('leaves word of what was refused and why, until it is done', async () => {
    const broken = await connect([...both, AsksForTooMuch1000000000008]);
    const reason = 'permission denied to set parameter "app.word"';
    await expect(broken.runMigrations()).rejects.toThrow(reason);
    const stopped = { migration: AsksForTooMuch1000000000008.name, reason };
    // Whoever starts later, and never saw it happen.
    expect(await (await connect([...both, AsksForTooMuch1000000000008])).schemaState()).toMatchObject({ stopped });
    expect(await (await connect(both)).schemaState()).toMatchObject({ pending: [], stopped: null });
    await (await connect([...both, MakesMarks1000000000004])).runMigrations();
    expect(await broken.schemaState()).toMatchObject({ stopped: null });
  });

  it('has the process that starts on an empty database wait for whoever sets it up', async () => {
    const connections = await Promise.all([connect(both), connect(both), connect(both)]);
    const ran = await Promise.all([
      connections[0].setUpEmpty(),
      connections[1].setUpEmpty(),
      connections[2].runMigrations(),
    ]);
    expect(ran.flat()).toEqual(names);
    expect(await connections[0].pendingMigrations()).toEqual([]);
  });

  it('leaves a database that has a schema alone when a process starts on it', async () => {
    await (await connect(both.slice(0, 1))).runMigrations();
    const newer = await connect(both);
    expect(await newer.setUpEmpty()).toEqual([]);
    expect(await newer.pendingMigrations()).toEqual(names.slice(1));
  });

  it('lets go of the queue for a table that somebody holds, and gets it when that one is done', async () => {
    await (await connect(expanded.slice(0, 1))).runMigrations();
    const holder = new pg.Client({ connectionString: test.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE made IN SHARE MODE');
    const migrating = (await connect(expanded)).runMigrations();
    const reader = await connect(both);
    try {
      // Behind a waiting schema change even a read waits: only because that one gives up, the read gets through.
      expect(await made(reader)).toBe(0);
    } finally {
      await holder.query('COMMIT');
      await holder.end();
    }
    expect(await migrating).toEqual(expanded.slice(1).map(({ name }) => name));
  });
});

describe('a database that a newer program has migrated', () => {
  it('serves older programs as long as it was only expanded', async () => {
    await (await connect(expanded)).runMigrations();
    const older = await connect(expanded.slice(0, 2));
    expect(await older.schemaState()).toMatchObject({
      pending: [],
      unknown: [Expands1000000000005.name],
      outgrown: [],
    });
  });

  it('has outgrown those that know less than the oldest it serves, and only those', async () => {
    await (await connect(contracted)).runMigrations();
    const served = await connect(expanded);
    expect(await served.schemaState()).toMatchObject({ unknown: [Contracts1000000000006.name], outgrown: [] });
    const older = await connect(expanded.slice(0, 2));
    expect((await older.schemaState()).outgrown).toEqual([Contracts1000000000006.name]);
  });

  it('is of an earlier build where something ran that is older than the first migration', async () => {
    await (await connect(both)).runMigrations();
    const later = await connect([Expands1000000000005, Contracts1000000000006]);
    const earlier = [MakesTable1000000000001.name, FillsTable1000000000002.name];
    expect(await later.schemaState()).toMatchObject({ earlier, unknown: [], outgrown: [], isEmpty: false });
  });

  it('has outgrown everybody where a migration left no mark', async () => {
    await (await connect([...both, MakesMarks1000000000004])).runMigrations();
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    await client.query("INSERT INTO schema_migration (timestamp, name) VALUES (1, 'Other2000000000000')");
    await client.end();
    expect((await (await connect(both)).schemaState()).outgrown).toEqual(['Other2000000000000']);
  });
});

describe('a plan', () => {
  it('names what is pending, what breaks, whom it stops, and how big the tables are', async () => {
    await (await connect(both)).runMigrations();
    const planned = await (await connect([...both, ...contracted.slice(1)])).planMigrations();
    expect(planned.map(({ name, breaking }) => [name, breaking?.serves ?? null])).toEqual([
      [MakesMarks1000000000004.name, null],
      [Expands1000000000005.name, null],
      [Contracts1000000000006.name, 1_000_000_000_005],
    ]);
    expect(planned[0]).toMatchObject({ creates: ['schema_mark'], effects: [{ table: null, lock: 'none' }] });
    const [adds] = planned[1]!.effects;
    expect(adds).toMatchObject({ table: 'made', lock: 'everybody', work: 'short', breaks: null });
    expect(adds!.size!.bytes).toBeGreaterThan(0);
    expect(planned[2]!.effects[0]).toMatchObject({ table: 'made', breaks: 'a column' });
  });
});
