import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last programs files that some process took over: what changed, when, and by whom. */
export class ProgramsLoads1796900000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- content: JSON with every default, NULL of a file that is too large to be kept. actor, reason: NULL where nobody asked for it.
CREATE TABLE programs_load (
  load_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  programs_hash bytea NOT NULL,
  host text NOT NULL,
  content text,
  actor text,
  reason text
);
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
