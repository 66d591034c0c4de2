import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Work on many records as stored jobs: reconciliation, adoption, provisioning, erasure, export (contracts.md section 5). */
export class Jobs1764000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- One process at a time works on a job, under a lease. cursor: where it goes on. failures: turns in a row that failed.
CREATE TABLE job (
  job_id text PRIMARY KEY,
  kind text NOT NULL,
  program_id text,
  request jsonb NOT NULL,
  reason text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'running', 'paused', 'done', 'failed', 'cancelled')),
  cursor jsonb,
  progress jsonb NOT NULL DEFAULT '{}',
  report jsonb,
  error text,
  failures int NOT NULL DEFAULT 0,
  lines int NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  finished_at timestamptz,
  owner uuid,
  leased_until timestamptz
) WITH (fillfactor = 70);
CREATE INDEX job_open ON job (created_at) WHERE state IN ('waiting', 'running');
CREATE INDEX job_kind ON job (kind, created_at DESC);

-- What a job found, in the order in which it found it.
CREATE TABLE job_line (
  job_id text NOT NULL REFERENCES job (job_id),
  ordinal int NOT NULL,
  data jsonb NOT NULL,
  PRIMARY KEY (job_id, ordinal)
);
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
