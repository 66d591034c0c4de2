import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stored work knows the role of who had it done: to resume or cancel it takes the same. */
export class NeededRoles1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- needs_role: the role that created the job, or planned the replay and started it, the higher one. NULL: made before this was
-- kept, or by a version that keeps none: who acted then is known by name only, so that it takes an admin.
ALTER TABLE job ADD COLUMN needs_role text CHECK (needs_role IN ('operator', 'admin'));
ALTER TABLE replay ADD COLUMN needs_role text CHECK (needs_role IN ('operator', 'admin'));
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
