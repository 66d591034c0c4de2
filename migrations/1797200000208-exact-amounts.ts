import type { QueryRunner } from 'typeorm';

import type { Migration } from '#platform';

/**
 * An amount is exact decimal text with the digits that its event gave it, 5999.00: minor units alone do not say how many of
 * their digits stand behind the point, and those of different scales cannot be summed. What was recorded before loses its
 * readable amount: which digits it had stands in its sealed event only.
 */
export class ExactAmounts1797200000208 implements Migration {
  readonly breaking = {
    serves: 1797200000208,
    why: 'intent.amount_minor and intent_standing.amount_minor give way to amount: who writes them cannot record',
  };

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE intent ADD COLUMN amount numeric, DROP COLUMN amount_minor;
-- Takes intent_standing_open with it, which the next migration builds anew.
ALTER TABLE intent_standing ADD COLUMN amount numeric, DROP COLUMN amount_minor;

CREATE OR REPLACE FUNCTION keep_intent_standing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  stands text := standing_after(NEW.type, NEW.data);
BEGIN
  IF stands IS NULL THEN
    DELETE FROM intent_standing WHERE lane_id = NEW.lane_id AND seq = NEW.seq;
  ELSE
    INSERT INTO intent_standing AS s (lane_id, seq, status, reason, code, fingerprint, since, recorded_at, program_id,
      operation, amount, currency, awaits_lane_id, awaits_seq)
    SELECT i.lane_id, i.seq, stands,
      CASE WHEN stands <> 'delivered' THEN COALESCE(NEW.data->>'reason', NEW.data->>'code', NEW.data->>'for') END,
      a.data->>'code', a.data->>'fingerprint', NEW.at, i.recorded_at, l.program_id, i.operation, i.amount, i.currency,
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
