import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counting what is in trouble, and the money in it, reads this index alone. */
export class OpenStandingsAnew1797200000209 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // One that was left half built serves nobody.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS intent_standing_open');
    await runner.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS intent_standing_open ON intent_standing (program_id, operation, status)
       INCLUDE (currency, amount, lane_id, seq) WHERE status IN ('waiting', 'unknown', 'parked')`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
