import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Replays: who started one and why, turns that go round, and counts that are kept instead of taken. */
export class ReplayStarts1764050000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- started_*: NULL until somebody has it sent. turn_at: when a process last took it; who has waited longest comes first.
-- settled, failed: items behind canary_from that have come to an end, and those of them that parked again.
-- counts: {byState, byForecast}, kept as soon as no item can move any more by itself; NULL: they are to be counted.
ALTER TABLE replay
  ADD COLUMN started_at timestamptz,
  ADD COLUMN started_by text,
  ADD COLUMN start_reason text,
  ADD COLUMN turn_at timestamptz,
  ADD COLUMN settled int NOT NULL DEFAULT 0,
  ADD COLUMN failed int NOT NULL DEFAULT 0,
  ADD COLUMN counts jsonb;

UPDATE replay SET started_at = a.at, started_by = a.actor, start_reason = a.reason
FROM operator_action a WHERE a.action = 'replay.start' AND a.detail->>'replay' = replay.replay_id;

UPDATE replay SET settled = c.settled, failed = c.failed
FROM (
  SELECT r.replay_id, count(*) AS settled, count(*) FILTER (WHERE i.state = 'parked') AS failed
  FROM replay r JOIN replay_item i ON i.replay_id = r.replay_id AND i.ordinal > r.canary_from
  WHERE r.state IN ('running', 'paused', 'stopped') AND i.state IN ('delivered', 'parked', 'cancelled')
  GROUP BY 1
) c
WHERE replay.replay_id = c.replay_id;

CREATE INDEX replay_uncounted ON replay (leased_until) WHERE counts IS NULL;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
