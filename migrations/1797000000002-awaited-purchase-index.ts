import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What awaits an intent is found by that. */
export class AwaitedPurchaseIndex1797000000002 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // One that was left half built serves nobody.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS intent_standing_awaits');
    await runner.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS intent_standing_awaits ON intent_standing (awaits_lane_id, awaits_seq)
       WHERE awaits_lane_id IS NOT NULL`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
