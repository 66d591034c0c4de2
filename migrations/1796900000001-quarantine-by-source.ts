import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds what was set aside of a source, the newest first. */
export class QuarantineBySource1796900000001 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // One that was left half built serves nobody.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS quarantine_by_source');
    await runner.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS quarantine_by_source ON quarantine (source, state, quarantine_id)
       WHERE source IS NOT NULL`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
