import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A refund may wait for a purchase of another member, or for one that nobody knows yet (docs/decisions/0115). */
export class AwaitedKeys1795521000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- waits_for_key: the key in dedup of what the intent goes after, where that is no earlier intent of its lane (waits_for_seq).
ALTER TABLE intent ADD COLUMN waits_for_key bytea;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
