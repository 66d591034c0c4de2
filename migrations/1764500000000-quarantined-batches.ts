import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whole record batches in quarantine, as the broker has them. */
export class QuarantinedBatches1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- last_offset: the row holds a whole record batch that was not taken apart, for its records from kafka_offset to this one.
-- NULL: one record.
ALTER TABLE quarantine ADD COLUMN last_offset bigint;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
