import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long the partner took, and how far Kafka was ahead, by minute (decision 0197). */
export class CallsAndLagByMinute1797000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- call_buckets, call_counts: a program's calls to the partner by how long they took, so that minutes, processes and programs
-- add up; NULL: none was told of. lag_records, lag_seconds: in the row of no program, at the end of the minute; NULL: not known.
ALTER TABLE minute_tally
  ADD COLUMN call_buckets smallint[],
  ADD COLUMN call_counts int[],
  ADD COLUMN lag_records bigint,
  ADD COLUMN lag_seconds int;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
