import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which of an update's values are stale is told path by path (docs/decisions/0104). */
export class ProfileMarks1764900000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- profile_marks: by path, [source, sequence, epoch ms] of what was last taken; names chosen by shops, and sources, are digests.
-- It takes the place of profile_sequence and profile_at: what stands there still counts for every path.
ALTER TABLE member ADD COLUMN profile_marks jsonb;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
