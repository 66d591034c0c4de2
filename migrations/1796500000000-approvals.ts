import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests that wait for a second person (decision 0191). */
export class Approvals1796500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- request: what will be done to the target, as it was asked for. lane_id, seq: whom the audit shows it is about. Subjects: issuer and sub, where a provider says so.
CREATE TABLE approval (
  approval_id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('forced-intent', 'forced-replay', 'personal-export', 'erasure')),
  program_id text,
  target text NOT NULL,
  lane_id bigint,
  seq int,
  request jsonb NOT NULL,
  reason text NOT NULL,
  state text NOT NULL CHECK (state IN ('proposed', 'approved', 'refused', 'withdrawn', 'lapsed')),
  asked_at timestamptz NOT NULL,
  asked_by text NOT NULL,
  asked_subject text,
  until timestamptz NOT NULL,
  settled_at timestamptz,
  settled_by text,
  settled_reason text,
  CHECK ((state = 'proposed') = (settled_at IS NULL))
);
CREATE UNIQUE INDEX approval_open ON approval (kind, target) WHERE state = 'proposed';
CREATE INDEX approval_asked ON approval (asked_at DESC);
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
