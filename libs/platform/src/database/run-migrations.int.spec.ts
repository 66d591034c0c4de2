import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';
import type { MigrationInterface, QueryRunner } from 'typeorm';

import type { DataSourceSettings } from './create-data-source.js';
import { PostgresConnection } from './postgres-connection.js';

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

class Breaks1000000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('INSERT INTO made VALUES (2); SELECT 1 / 0');
  }

  async down(): Promise<void> {
    throw new Error('forward only');
  }
}

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

  it('keeps nothing of one that fails, and lets the next process try', async () => {
    const broken = await connect([...both, Breaks1000000000003]);
    await expect(broken.runMigrations()).rejects.toThrow('division by zero');
    expect(await made(broken)).toBe(1);
    expect(await broken.pendingMigrations()).toEqual([Breaks1000000000003.name]);
    expect(await (await connect(both)).runMigrations()).toEqual([]);
  });
});
