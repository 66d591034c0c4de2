import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each process knows of its own work, told to all with its report. */
export class ProcessFigures1796800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- NULL of daemons of the version before.
ALTER TABLE daemon_process ADD COLUMN figures jsonb;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
