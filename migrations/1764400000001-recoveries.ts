import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was restored, and when work began again on it (docs/restore.md). */
export class Recoveries1764400000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- recovered_from: the moment that was restored; everything after it is forgotten. started_at: when the first process began on what was restored.
-- produced_until: records with a later broker timestamp cannot have been consumed before.
CREATE TABLE recovery (
  recovered_from timestamptz PRIMARY KEY,
  started_at timestamptz NOT NULL,
  produced_until timestamptz NOT NULL
);
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
