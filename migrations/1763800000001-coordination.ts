import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the replicas must know of each other (design.md sections 5 and 7): pauses, who is there, what the partner asked for. */
export class Coordination1763800000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- What must not be begun, by a person's word or by itself. program_id NULL: every program; operation NULL: every one.
-- A lifted pause is kept: it says who stopped what, when and why.
CREATE TABLE pause (
  pause_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  program_id text,
  operation text,
  since timestamptz NOT NULL,
  set_by text NOT NULL,
  reason text NOT NULL,
  automatic boolean NOT NULL,
  lifted_at timestamptz,
  lifted_by text,
  lifted_reason text
);
CREATE UNIQUE INDEX pause_in_force ON pause (program_id, operation) NULLS NOT DISTINCT WHERE lifted_at IS NULL;

-- One row per delivering process, written every half second; programs: those it works on, with since when.
CREATE TABLE replica (
  replica_id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL,
  programs jsonb NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- What the partner told one replica and all must obey: a rest (Retry-After), an open circuit breaker.
CREATE TABLE program_gate (
  program_id text PRIMARY KEY,
  rest_until timestamptz,
  breaker_opened_at timestamptz,
  breaker_until timestamptz
) WITH (fillfactor = 50);
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
