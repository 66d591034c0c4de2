import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds what parked behind a parked purchase or grant, when that is decided on (decision 0205). */
export class AwaitedPurchases1797000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Only of what is parked behind another intent: which one. A new release parks so; whatever ends the park empties both.
ALTER TABLE intent_standing ADD COLUMN awaits_lane_id bigint, ADD COLUMN awaits_seq int;

CREATE OR REPLACE FUNCTION keep_intent_standing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  stands text := standing_after(NEW.type, NEW.data);
BEGIN
  IF stands IS NULL THEN
    DELETE FROM intent_standing WHERE lane_id = NEW.lane_id AND seq = NEW.seq;
  ELSE
    INSERT INTO intent_standing AS s (lane_id, seq, status, reason, code, fingerprint, since, recorded_at, program_id,
      operation, amount_minor, currency, awaits_lane_id, awaits_seq)
    SELECT i.lane_id, i.seq, stands,
      CASE WHEN stands <> 'delivered' THEN COALESCE(NEW.data->>'reason', NEW.data->>'code', NEW.data->>'for') END,
      a.data->>'code', a.data->>'fingerprint', NEW.at, i.recorded_at, l.program_id, i.operation, i.amount_minor, i.currency,
      (NEW.data->'awaits'->>'laneId')::bigint, (NEW.data->'awaits'->>'seq')::int
    FROM intent i JOIN lane l USING (lane_id)
    LEFT JOIN LATERAL last_ended_attempt(i.lane_id, i.seq) AS a ON true
    WHERE i.lane_id = NEW.lane_id AND i.seq = NEW.seq
    ON CONFLICT (lane_id, seq) DO UPDATE SET status = EXCLUDED.status, reason = EXCLUDED.reason, code = EXCLUDED.code,
      fingerprint = EXCLUDED.fingerprint, since = EXCLUDED.since, awaits_lane_id = EXCLUDED.awaits_lane_id,
      awaits_seq = EXCLUDED.awaits_seq;
  END IF;
  RETURN NULL;
END $$;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
