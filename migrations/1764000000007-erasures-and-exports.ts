import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What erasures take from the quarantine, and jobs that have nothing to do for a while. */
export class ErasuresAndExports1764000000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- erased_at: since when key, value and headers are gone, because they were about somebody who was erased.
ALTER TABLE quarantine ADD COLUMN erased_at timestamptz;

-- due_at: its next turn is not before this. The job that has waited longest comes first: none keeps the others waiting.
ALTER TABLE job ADD COLUMN due_at timestamptz;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
