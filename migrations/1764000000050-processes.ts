import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which processes there are, which programs file each works by, and when somebody asked them to read it again. */
export class Processes1764000000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- One row per process of the daemon, whatever its roles, written every two seconds. programs_since: since when it works by
-- that file. programs_problem: why it did not take over the one that it read last.
CREATE TABLE daemon_process (
  process_id uuid PRIMARY KEY,
  host text NOT NULL,
  roles text[] NOT NULL,
  started_at timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL,
  programs_hash bytea NOT NULL,
  programs_since timestamptz NOT NULL,
  programs_problem text
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Somebody had one process read the programs file again: the others follow until they work by the same.
CREATE TABLE programs_reload (
  reload_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  programs_hash bytea NOT NULL
);
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
