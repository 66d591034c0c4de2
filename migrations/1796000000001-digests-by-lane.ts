import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the digests of a member who is erased, and those that name none. */
export class DigestsByLane1796000000001 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // One that was left half built serves nobody.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS dedup_digest_of_lane');
    await runner.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS dedup_digest_of_lane ON dedup (lane_id) WHERE body_mac <> ''::bytea`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
