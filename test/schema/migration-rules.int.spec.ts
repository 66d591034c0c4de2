import { migrations } from '#migrations';
import type { Migration } from '#platform';
import { createDataSource, readMigration, versionOf } from '#platform';
import { testDatabase } from '#test-support';
import type { QueryRunner } from 'typeorm';

import { brokenRules } from './migration-rules.js';

describe('migrations', () => {
  it('break no rule', async () => {
    const read = await Promise.all(migrations.map(readMigration));
    expect(read.flatMap((migration) => brokenRules(migration))).toEqual([]);
  });

  it('are in the order of their timestamps, each with its own', () => {
    const versions = migrations.map(({ name }) => versionOf(name));
    expect(versions.every((version) => Number.isSafeInteger(version))).toBe(true);
    expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
  });

  it('only go forward', async () => {
    for (const Class of migrations) {
      await expect(new Class().down({} as QueryRunner)).rejects.toThrow(/forward|cannot be undone/);
    }
  });

  it('name the oldest schema that they serve in the database', async () => {
    const test = await testDatabase();
    try {
      const source = createDataSource({
        url: test.ownerUrl,
        poolSize: 2,
        ssl: false,
        applicationName: 'migration-rules-spec',
        migrations: [],
        onPoolError: () => undefined,
      });
      await source.initialize();
      const rows = await source.query<{ migration: string; serves: string }[]>('SELECT * FROM schema_mark ORDER BY 1');
      await source.destroy();
      const marks = migrations.map((Class) => [Class.name, new Class().breaking?.serves ?? 0]);
      expect(Object.fromEntries(rows.map(({ migration, serves }) => [migration, Number(serves)]))).toEqual(
        Object.fromEntries(marks),
      );
    } finally {
      await test.dispose();
    }
  });
});

describe('the rules', () => {
  const planted = (sql: string, own: Partial<Migration>): new () => Migration => {
    class Planted1999999999999 implements Migration {
      constructor() {
        Object.assign(this, own);
      }

      async up(runner: QueryRunner): Promise<void> {
        await runner.query(sql);
      }

      async down(): Promise<void> {
        throw new Error('migrations only go forward');
      }
    }
    return Planted1999999999999;
  };
  const breaking = { serves: 1, why: 'planted' };

  it.each<{ what: string; sql: string; own?: Partial<Migration>; count: number }>([
    { what: 'a column is added', sql: 'ALTER TABLE intent ADD COLUMN a text', count: 0 },
    { what: 'a column goes', sql: 'ALTER TABLE intent DROP COLUMN a', count: 1 },
    { what: 'a column goes, and it is said', sql: 'ALTER TABLE intent DROP COLUMN a', own: { breaking }, count: 0 },
    { what: 'a column is renamed', sql: 'ALTER TABLE replay RENAME COLUMN a TO b', count: 1 },
    { what: 'old inserts would fail', sql: 'ALTER TABLE replay ADD COLUMN a int NOT NULL', count: 1 },
    { what: 'an index stops writers of a big table', sql: 'CREATE INDEX i ON intent (a)', count: 1 },
    { what: 'an index stops writers of a small table', sql: 'CREATE INDEX i ON replay (a)', count: 0 },
    { what: 'an index of a new table', sql: 'CREATE TABLE intent (a int); CREATE INDEX i ON intent (a)', count: 0 },
    {
      what: 'an index stops nobody',
      sql: 'CREATE INDEX CONCURRENTLY i ON intent (a)',
      own: { transaction: false },
      count: 0,
    },
    {
      what: 'more than an index outside a transaction',
      sql: 'UPDATE replay SET a = 1',
      own: { transaction: false },
      count: 1,
    },
    { what: 'every row of a big table changes', sql: 'UPDATE intent SET a = 1', count: 1 },
    {
      what: 'everybody waits while a big table is read',
      sql: 'ALTER TABLE lane ADD COLUMN a int CHECK (a > 0)',
      count: 1,
    },
  ])('see when $what', async ({ sql, own = {}, count }) => {
    expect(brokenRules(await readMigration(planted(sql, own)))).toHaveLength(count);
  });
});
