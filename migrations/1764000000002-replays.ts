import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Replays of many intents as stored jobs on a frozen selection (design.md section 8). */
export class Replays1764000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- state: planned (a dry run: nothing is sent), running, paused by a person, stopped by its canary, cancelled, done.
-- One process at a time works on it, under a lease. canary_from: items before it were begun before somebody let it go on.
CREATE TABLE replay (
  replay_id text PRIMARY KEY,
  query jsonb NOT NULL,
  reason text NOT NULL,
  rate_per_second double precision NOT NULL CHECK (rate_per_second > 0),
  is_canary boolean NOT NULL,
  is_forced boolean NOT NULL,
  canary_from int NOT NULL DEFAULT 0,
  state text NOT NULL CHECK (state IN ('planned', 'running', 'paused', 'stopped', 'cancelled', 'done')),
  stopped_because text,
  money jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  finished_at timestamptz,
  owner uuid,
  leased_until timestamptz
);
CREATE INDEX replay_running ON replay (created_at) WHERE state = 'running';

-- forecast: what was to be expected when the selection was frozen. state: what came of it; refused and skipped were not sent.
CREATE TABLE replay_item (
  replay_id text NOT NULL REFERENCES replay (replay_id),
  ordinal int NOT NULL,
  lane_id bigint NOT NULL,
  seq int NOT NULL,
  forecast text NOT NULL,
  overtaken int NOT NULL,
  state text NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'sent', 'delivered', 'parked', 'cancelled', 'refused', 'skipped')),
  detail text,
  sent_at timestamptz,
  PRIMARY KEY (replay_id, ordinal),
  UNIQUE (replay_id, lane_id, seq)
) WITH (fillfactor = 80);
CREATE INDEX replay_item_state ON replay_item (replay_id, state, ordinal);
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
