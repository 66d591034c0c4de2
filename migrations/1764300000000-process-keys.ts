import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which encryption keys each process knows, so that none is used that one of them could not open. */
export class ProcessKeys1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- key_ids: the first bytes of the digests of the keys of LOYALTYD_ENCRYPTION_KEY, hex, in their order; they tell nothing of
-- the keys. Empty: the process is too old to say.
ALTER TABLE daemon_process ADD COLUMN key_ids text[] NOT NULL DEFAULT '{}';
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
