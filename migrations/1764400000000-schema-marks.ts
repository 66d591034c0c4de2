import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each migration says to programs that do not know it. The runner enters it with the migration. */
export class SchemaMarks1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- serves: schema version of the oldest program that works beside this migration; 0: whatever worked before does.
CREATE TABLE schema_mark (
  migration text PRIMARY KEY,
  serves bigint NOT NULL
);
-- Nothing that ran before this table was there is known to have broken anybody.
DO $$ BEGIN
  IF to_regclass('schema_migration') IS NOT NULL THEN
    INSERT INTO schema_mark (migration, serves) SELECT name, 0 FROM schema_migration;
  END IF;
END $$;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
