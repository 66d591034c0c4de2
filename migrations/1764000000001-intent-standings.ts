import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What lists of intents are read from (docs/decisions/0031): a lane says what is open and what is delivered, this the rest. */
export class IntentStandings1764000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The CloudEvents source of the event; NULL for what was recorded before this column was there.
ALTER TABLE intent ADD COLUMN source text;
CREATE INDEX intent_recorded ON intent (recorded_at, lane_id, seq);
CREATE INDEX intent_purchase ON intent (purchase_id) WHERE purchase_id IS NOT NULL;

-- A read model: the standing of each intent that is not told by its lane alone. delivered: by somebody's word or evidence,
-- perhaps before the lane has stepped over it. Kept by a trigger on the rare events, hence never behind.
-- code and fingerprint: what the last attempt ended with, and for refusals the keyed digest of their wording.
CREATE TABLE intent_standing (
  lane_id bigint NOT NULL,
  seq int NOT NULL,
  status text NOT NULL CHECK (status IN ('waiting', 'unknown', 'parked', 'cancelled', 'delivered')),
  reason text,
  code text,
  fingerprint text,
  since timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  program_id text NOT NULL,
  operation text NOT NULL,
  amount_minor bigint,
  currency text,
  PRIMARY KEY (lane_id, seq)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX intent_standing_list ON intent_standing (status, recorded_at, lane_id, seq);

CREATE FUNCTION standing_after(type text, data jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE type
    WHEN 'WaitingBegan' THEN 'waiting' WHEN 'AttemptUnknown' THEN 'unknown' WHEN 'IntentParked' THEN 'parked'
    WHEN 'IntentCancelled' THEN 'cancelled' WHEN 'VerifiedApplied' THEN 'delivered'
    WHEN 'IntentResolved' THEN CASE data->>'as' WHEN 'delivered' THEN 'delivered' END END
$$;

CREATE FUNCTION last_ended_attempt(lane bigint, place int) RETURNS TABLE (data jsonb) LANGUAGE sql STABLE AS $$
  SELECT e.data FROM intent_event e
  WHERE e.lane_id = lane AND e.seq = place AND e.type IN ('AttemptRejected', 'AttemptNotApplied', 'AttemptUnknown')
  ORDER BY e.version DESC LIMIT 1
$$;

CREATE FUNCTION keep_intent_standing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  stands text := standing_after(NEW.type, NEW.data);
BEGIN
  IF stands IS NULL THEN
    DELETE FROM intent_standing WHERE lane_id = NEW.lane_id AND seq = NEW.seq;
  ELSE
    INSERT INTO intent_standing AS s (lane_id, seq, status, reason, code, fingerprint, since, recorded_at, program_id,
      operation, amount_minor, currency)
    SELECT i.lane_id, i.seq, stands,
      CASE WHEN stands <> 'delivered' THEN COALESCE(NEW.data->>'reason', NEW.data->>'code', NEW.data->>'for') END,
      a.data->>'code', a.data->>'fingerprint', NEW.at, i.recorded_at, l.program_id, i.operation, i.amount_minor, i.currency
    FROM intent i JOIN lane l USING (lane_id)
    LEFT JOIN LATERAL last_ended_attempt(i.lane_id, i.seq) AS a ON true
    WHERE i.lane_id = NEW.lane_id AND i.seq = NEW.seq
    ON CONFLICT (lane_id, seq) DO UPDATE SET status = EXCLUDED.status, reason = EXCLUDED.reason, code = EXCLUDED.code,
      fingerprint = EXCLUDED.fingerprint, since = EXCLUDED.since;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER intent_event_standing AFTER INSERT ON intent_event FOR EACH ROW
  WHEN (NEW.type IN ('WaitingBegan', 'IntentReleased', 'AttemptUnknown', 'ResendDecided', 'VerifiedApplied',
    'VerifiedAbsent', 'IntentParked', 'IntentReplayed', 'IntentResolved', 'IntentCancelled'))
  EXECUTE FUNCTION keep_intent_standing();

INSERT INTO intent_standing (lane_id, seq, status, reason, code, fingerprint, since, recorded_at, program_id, operation,
  amount_minor, currency)
SELECT lane_id, seq, standing_after(last.type, last.data),
  CASE WHEN standing_after(last.type, last.data) <> 'delivered'
    THEN COALESCE(last.data->>'reason', last.data->>'code', last.data->>'for') END, a.data->>'code', a.data->>'fingerprint', at,
  recorded_at, program_id, operation, amount_minor, currency
FROM (
  SELECT DISTINCT ON (e.lane_id, e.seq) e.lane_id, e.seq, e.type, e.data, e.at, i.recorded_at, l.program_id, i.operation,
    i.amount_minor, i.currency
  FROM intent_event e JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id)
  WHERE e.type IN ('WaitingBegan', 'IntentReleased', 'AttemptUnknown', 'ResendDecided', 'VerifiedApplied',
    'VerifiedAbsent', 'IntentParked', 'IntentReplayed', 'IntentResolved', 'IntentCancelled')
  ORDER BY e.lane_id, e.seq, e.version DESC
) last LEFT JOIN LATERAL last_ended_attempt(lane_id, seq) AS a ON true
WHERE standing_after(last.type, last.data) IS NOT NULL;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
