/** The truth (intent, intent_event, dedup), which is only ever added to, and what lists are read from. */
export const intents = `
CREATE SEQUENCE event_pos_seq;

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- What was recorded never changes. It leaves only by age, with its owner's maintenance (docs/decisions/0048): the
-- setting alone, which any session may set, opens nothing.
CREATE FUNCTION refuse_change_but_retire() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('loyaltyd.retire', true) = 'on'
    AND pg_has_role((SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- An empty body_mac: what it said is forgotten, and whatever comes under its key is the same again. A row with a
-- lane and without a seq led to no intent of its own; lane 0 is nobody's.
CREATE FUNCTION refuse_unforgotten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.kind = 'mark' AND NEW.kind IN ('mark', 'business') AND NEW.key = OLD.key THEN
    RETURN NEW;
  END IF;
  -- A number whose sale was cancelled is another sale's: rung up again. What a member gets once is granted anew where it was not
  -- given in time, as far as is known, or is taken back.
  IF OLD.kind = 'business' AND NEW.kind = 'business' AND NEW.key = OLD.key AND (EXISTS (
    SELECT FROM intent_standing s WHERE s.lane_id = OLD.lane_id AND s.seq = OLD.seq
      AND s.status = 'cancelled') OR EXISTS (
    SELECT FROM intent g WHERE g.lane_id = OLD.lane_id AND g.seq = OLD.seq AND g.event_type = 'loyalty.reward.granted.v1'
      AND NOT EXISTS (SELECT FROM intent_event e WHERE e.lane_id = g.lane_id AND e.seq = g.seq
        AND (e.type IN ('AttemptApplied', 'VerifiedApplied') OR e.type = 'IntentResolved' AND e.data->>'as' = 'delivered'))) OR EXISTS (
    SELECT FROM intent r WHERE r.lane_id = OLD.lane_id AND r.waits_for_seq = OLD.seq
      AND r.event_type = 'loyalty.reward.revoked.v1') OR EXISTS (
    SELECT FROM dedup n JOIN intent r ON r.waits_for_key = n.key AND r.event_type = 'loyalty.reward.revoked.v1'
    WHERE n.lane_id = OLD.lane_id AND n.seq = OLD.seq AND n.body_mac <> ''::bytea)) THEN
    RETURN NEW;
  END IF;
  -- An erasure empties the digest, and changes nothing else.
  IF NEW.body_mac = ''::bytea AND to_jsonb(NEW) - 'body_mac' = to_jsonb(OLD) - 'body_mac' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- Truth: one row per IntentRecorded. seq is dense per lane; version is dense per lane over intent and intent_event.
-- payload is sealed with the member's key: the partner command as planned first, and the source event. source: the CloudEvents
-- source of the event. waits_for_key: the key in dedup of what the intent goes after, where that is no earlier
-- intent of its lane (waits_for_seq). receipt: the key in dedup of the sale of which it takes
-- the amount back, or of its own where something waited for it. previous_total, corrected_total: of what corrects the total
-- of that sale, by amount.
CREATE TABLE intent (
  lane_id bigint NOT NULL,
  seq int NOT NULL,
  version int NOT NULL,
  operation text NOT NULL,
  dedup_key bytea NOT NULL,
  waits_for_seq int,
  payload bytea NOT NULL,
  store_id text,
  purchase_id text,
  valid_until timestamptz,
  currency text,
  event_type text NOT NULL,
  occurred_at timestamptz NOT NULL,
  broker_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  topic text NOT NULL,
  partition int NOT NULL,
  kafka_offset bigint NOT NULL,
  programs_hash bytea NOT NULL,
  pos bigint NOT NULL DEFAULT nextval('event_pos_seq'),
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  source text,
  waits_for_key bytea,
  amount numeric,
  receipt bytea,
  previous_total numeric,
  corrected_total numeric,
  PRIMARY KEY (lane_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX intent_receipt ON intent (receipt) WHERE (receipt IS NOT NULL);
CREATE INDEX intent_purchase ON intent (lower(purchase_id) text_pattern_ops) WHERE (purchase_id IS NOT NULL);
CREATE INDEX intent_revoked_elsewhere ON intent (waits_for_key)
  WHERE (waits_for_key IS NOT NULL AND event_type = 'loyalty.reward.revoked.v1');
CREATE INDEX intent_recorded ON intent (recorded_at, lane_id, seq);
CREATE TRIGGER intent_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON intent
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_retire();

-- Truth: what happened after the recording. data holds what may be read in the clear, sealed the evidence.
CREATE TABLE intent_event (
  pos bigint NOT NULL DEFAULT nextval('event_pos_seq'),
  lane_id bigint NOT NULL,
  seq int NOT NULL,
  version int NOT NULL,
  attempt int NOT NULL,
  epoch int NOT NULL,
  type text NOT NULL,
  at timestamptz NOT NULL,
  data jsonb,
  sealed bytea,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  begun_version int,
  begun_epoch int,
  begun_at timestamptz
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX intent_event_of_intent ON intent_event (lane_id, seq, version);
CREATE INDEX intent_event_pos ON intent_event (pos);
CREATE TRIGGER intent_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON intent_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_retire();

-- A sale or reward that stands at the partner is never open again, nor in a list from which it would be sent: no decision
-- of the daemon says so, and nobody else may.
CREATE FUNCTION refuse_undelivering() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM intent i WHERE i.lane_id = NEW.lane_id AND i.seq = NEW.seq AND i.operation IN ('transaction', 'reward'))
    AND EXISTS (SELECT FROM intent_event e WHERE e.lane_id = NEW.lane_id AND e.seq = NEW.seq
      AND (e.type IN ('AttemptApplied', 'VerifiedApplied') OR e.type = 'IntentResolved' AND e.data->>'as' = 'delivered')) THEN
    RAISE EXCEPTION '% of what is delivered', NEW.type USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER intent_event_delivered_once BEFORE INSERT ON intent_event
  FOR EACH ROW WHEN (NEW.type IN ('AttemptUnknown', 'IntentParked', 'IntentReissued', 'IntentReleased', 'IntentReplayed',
    'ResendDecided', 'VerifiedAbsent', 'WaitingBegan'))
  EXECUTE FUNCTION refuse_undelivering();

-- Truth: where a lane's history begins, some of whose intents have left: how it stood at that version, with nothing
-- left to send. gone: facts that have left by then. What has left was delivered, or cancelled and its identity
-- forgotten, and ended before ended_before.
CREATE TABLE lane_start (
  lane_id bigint PRIMARY KEY,
  version int NOT NULL,
  gone int NOT NULL,
  tail_seq int NOT NULL,
  epoch int NOT NULL,
  issue_seq int,
  pass text NOT NULL,
  ended_before timestamptz NOT NULL
) WITH (fillfactor = 80);

-- Truth: how many intents have left, by how they ended.
CREATE TABLE retired_tally (
  program_id text NOT NULL,
  operation text NOT NULL,
  status text NOT NULL CHECK (status IN ('delivered', 'cancelled')),
  intents bigint NOT NULL,
  PRIMARY KEY (program_id, operation, status)
) WITH (fillfactor = 50);

-- When maintenance was carried out last, whole, and what it came to.
CREATE TABLE maintenance_run (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  ended_at timestamptz NOT NULL,
  report jsonb NOT NULL
);

INSERT INTO maintenance_run (ended_at, report) VALUES (now(), '{}');

-- Truth: what was already seen. body_mac is keyed: a plain hash of personal data could be guessed after erasure.
-- seen_on: NULL is kept for ever. kind mark: stands under the key of what is waited for, and has a body_mac where it is to be
-- cancelled when it comes; then the row is its identity, as any other.
CREATE TABLE dedup (
  key bytea PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('event', 'business', 'mark', 'place')),
  body_mac bytea NOT NULL,
  lane_id bigint,
  seq int,
  seen_on date
);
CREATE INDEX dedup_digest_of_lane ON dedup (lane_id) WHERE (body_mac <> '\\x');
CREATE TRIGGER dedup_append_only BEFORE UPDATE ON dedup
  FOR EACH ROW EXECUTE FUNCTION refuse_unforgotten();
CREATE TRIGGER dedup_no_delete BEFORE DELETE OR TRUNCATE ON dedup
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_retire();

-- What a void or revocation said of what was not known yet. lane_id: of the member it names, or in whom that one lives on: then
-- named_lane_id is of the one it names. total_mac: keyed digest
-- of the amount; NULL: it named none. happened_at: by its own word. sealed: the record under the member's key; NULL: the member is erased.
CREATE TABLE cancel_mark (
  key bytea PRIMARY KEY,
  lane_id bigint NOT NULL,
  reason text NOT NULL CHECK (reason IN ('voided', 'revoked')),
  total_mac bytea,
  topic text NOT NULL,
  partition int NOT NULL,
  kafka_offset bigint NOT NULL,
  happened_at timestamptz NOT NULL,
  sealed bytea,
  named_lane_id bigint
);

-- A sale without a card, so that its returns take from nobody. key: 64 bits of what would be its key in dedup. left_over: of its total,
-- what has not come back. forget_on: the program says for how long (anonymousReceiptDays).
-- Below 0: nobody has told of the sale, and so much of it came back without a card.
-- sold_on: the day by UTC; NULL: nobody has told of the sale.
CREATE TABLE anonymous_receipt (
  key bigint PRIMARY KEY,
  forget_on date NOT NULL,
  sold_on date,
  left_over numeric NOT NULL
);

-- Every event, begins included: of attempts that have ended from their outcomes, of those under way from their
-- lanes.
CREATE VIEW intent_history AS
SELECT pos, lane_id, seq, version, attempt, epoch, type, at, data, sealed, xid FROM intent_event
UNION ALL
SELECT pos, lane_id, seq, begun_version, attempt, begun_epoch, 'AttemptBegun', begun_at, NULL, NULL, xid
FROM intent_event WHERE begun_version IS NOT NULL
UNION ALL
SELECT NULL, lane_id, cur_seq, open_version, attempt, open_epoch, 'AttemptBegun', open_since, NULL, NULL, NULL
FROM lane WHERE attempt_open AND open_version IS NOT NULL;

-- A lane is deleted by nobody of ours: should somebody do so, the begin of an attempt under way becomes a row of its
-- own.
CREATE FUNCTION keep_open_begin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
  VALUES (OLD.lane_id, OLD.cur_seq, OLD.open_version, OLD.attempt, OLD.open_epoch, 'AttemptBegun', OLD.open_since);
  RETURN NULL;
END $$;

CREATE TRIGGER lane_open_begin AFTER DELETE ON lane
  FOR EACH ROW WHEN (OLD.attempt_open AND OLD.open_version IS NOT NULL)
  EXECUTE FUNCTION keep_open_begin();

-- A read model: the standing of each intent that is not told by its lane alone. delivered: by somebody's word or
-- evidence, perhaps before the lane has stepped over it. Kept by a trigger on the rare events, hence never behind.
-- code and fingerprint: what the last attempt ended with, and for refusals the keyed digest of their wording.
-- awaits_lane_id, awaits_seq: of what is parked behind another intent, which one.
-- held_until: of what stepped aside for a hold, where it lies among what is held, as lanes do by due_at; code: what holds it.
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
  currency text,
  awaits_lane_id bigint,
  awaits_seq int,
  amount numeric,
  held_until timestamptz,
  PRIMARY KEY (lane_id, seq)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX intent_standing_awaits ON intent_standing (awaits_lane_id, awaits_seq) WHERE (awaits_lane_id IS NOT NULL);
CREATE INDEX intent_standing_held ON intent_standing (program_id, held_until) WHERE (held_until IS NOT NULL);
CREATE INDEX intent_standing_list ON intent_standing (status, recorded_at, lane_id, seq);
-- Counting what is in trouble, and the money in it, reads these alone.
CREATE INDEX intent_standing_open ON intent_standing (program_id, operation, status)
  INCLUDE (currency, amount, lane_id, seq) WHERE (status IN ('waiting', 'unknown', 'parked'));

CREATE FUNCTION standing_after(type text, data jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE type
    WHEN 'WaitingBegan' THEN 'waiting'
    WHEN 'AttemptUnknown' THEN 'unknown'
    WHEN 'VerifiedApplied' THEN 'delivered'
    WHEN 'IntentParked' THEN 'parked'
    WHEN 'IntentResolved' THEN CASE WHEN data->>'as' = 'delivered' THEN 'delivered' ELSE NULL END
    WHEN 'IntentCancelled' THEN 'cancelled'
    END
$$;

CREATE FUNCTION last_ended_attempt(lane bigint, place int) RETURNS TABLE (data jsonb) LANGUAGE sql STABLE AS $$
  SELECT e.data FROM intent_event e
  WHERE e.lane_id = lane AND e.seq = place AND e.type IN ('AttemptRejected', 'AttemptNotApplied', 'AttemptUnknown')
  ORDER BY e.version DESC LIMIT 1
$$;

-- The amount of an intent as it stands, by which its receipt counts it: what a till or a person has corrected it to. intent.amount is as it was told.
CREATE FUNCTION amount_now(lane bigint, place int, recorded numeric) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT COALESCE((SELECT (e.data->>'amount')::numeric FROM intent_event e
    WHERE e.lane_id = lane AND e.seq = place AND e.type = 'IntentCorrected' AND e.data->>'amount' IS NOT NULL
    ORDER BY e.version DESC LIMIT 1), recorded)
$$;

CREATE FUNCTION keep_intent_standing() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  stands text := standing_after(NEW.type, NEW.data);
BEGIN
  IF stands IS NULL THEN
    DELETE FROM intent_standing WHERE lane_id = NEW.lane_id AND seq = NEW.seq;
  ELSE
    INSERT INTO intent_standing AS s (lane_id, seq, status, reason, code, fingerprint, since, recorded_at, program_id,
      operation, amount, currency, awaits_lane_id, awaits_seq, held_until)
    SELECT i.lane_id, i.seq, stands,
      CASE WHEN stands <> 'delivered' THEN COALESCE(NEW.data->>'reason', NEW.data->>'code', NEW.data->>'for') END,
      COALESCE(NEW.data->>'heldBy', a.data->>'code'), CASE WHEN NEW.data->>'heldBy' IS NULL THEN a.data->>'fingerprint' END,
      NEW.at, i.recorded_at, l.program_id, i.operation, amount_now(i.lane_id, i.seq, i.amount), i.currency,
      (NEW.data->'awaits'->>'laneId')::bigint, (NEW.data->'awaits'->>'seq')::int,
      to_timestamp((NEW.data->>'heldUntil')::float8 / 1000)
    FROM intent i JOIN lane l USING (lane_id)
    LEFT JOIN LATERAL last_ended_attempt(i.lane_id, i.seq) AS a ON true
    WHERE i.lane_id = NEW.lane_id AND i.seq = NEW.seq
    ON CONFLICT (lane_id, seq) DO UPDATE SET status = EXCLUDED.status, reason = EXCLUDED.reason, code = EXCLUDED.code,
      fingerprint = EXCLUDED.fingerprint, since = EXCLUDED.since, awaits_lane_id = EXCLUDED.awaits_lane_id,
      awaits_seq = EXCLUDED.awaits_seq, held_until = EXCLUDED.held_until;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER intent_event_standing AFTER INSERT ON intent_event
  FOR EACH ROW WHEN (NEW.type IN ('WaitingBegan', 'IntentReleased', 'AttemptUnknown', 'ResendDecided',
    'VerifiedApplied', 'VerifiedAbsent', 'IntentParked', 'IntentReplayed', 'IntentReissued', 'IntentResolved',
      'IntentCancelled'))
  EXECUTE FUNCTION keep_intent_standing();

CREATE FUNCTION keep_amount_of_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE intent_standing SET amount = (NEW.data->>'amount')::numeric WHERE lane_id = NEW.lane_id AND seq = NEW.seq;
  RETURN NULL;
END $$;

CREATE TRIGGER intent_event_amount AFTER INSERT ON intent_event
  FOR EACH ROW WHEN (NEW.type = 'IntentCorrected' AND NEW.data->>'amount' IS NOT NULL)
  EXECUTE FUNCTION keep_amount_of_standing();
`;
