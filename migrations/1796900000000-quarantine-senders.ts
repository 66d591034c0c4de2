import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who sent what was set aside, as far as it says: by that it is counted and found. */
export class QuarantineSenders1796900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- '': the record does not say, or could not be read. NULL of what was set aside before, and by daemons of the version before.
ALTER TABLE quarantine ADD COLUMN source text, ADD COLUMN store_id text, ADD COLUMN program_id text;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
