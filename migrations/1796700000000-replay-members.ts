import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many members a replay concerns: counted when its selection is frozen, as its money is. */
export class ReplayMembers1796700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- NULL of replays made before, and by daemons of the version before.
ALTER TABLE replay ADD COLUMN members int;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
