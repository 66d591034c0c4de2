CREATE SEQUENCE event_pos_seq AS bigint;

CREATE SEQUENCE lane_id_seq AS bigint OWNED BY member.lane_id;

CREATE OR REPLACE FUNCTION public.amount_now(lane bigint, place integer, recorded numeric)
 RETURNS numeric
 LANGUAGE sql
 STABLE
AS $function$
  SELECT COALESCE((SELECT (e.data->>'amount')::numeric FROM intent_event e
    WHERE e.lane_id = lane AND e.seq = place AND e.type = 'IntentCorrected' AND e.data->>'amount' IS NOT NULL
    ORDER BY e.version DESC LIMIT 1), recorded)
$function$
;

CREATE OR REPLACE FUNCTION public.database_place()
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE known text := current_setting('loyaltyd.place', true);
BEGIN
  IF known <> '' THEN RETURN known; END IF;
  BEGIN
    SELECT system_identifier::text INTO known FROM pg_control_system();
  EXCEPTION WHEN undefined_function OR insufficient_privilege OR feature_not_supported THEN
    known := 'unknown';
  END;
  known := known || '/' || (SELECT oid FROM pg_database WHERE datname = current_database());
  PERFORM set_config('loyaltyd.place', known, false);
  RETURN known;
END $function$
;

CREATE OR REPLACE FUNCTION public.is_fenced()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM ownership WHERE state <> 'held' OR place <> database_place());
END $function$
;

CREATE OR REPLACE FUNCTION public.keep_amount_of_standing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE intent_standing SET amount = (NEW.data->>'amount')::numeric WHERE lane_id = NEW.lane_id AND seq = NEW.seq;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.keep_intent_standing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$
;

CREATE OR REPLACE FUNCTION public.keep_open_begin()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
  VALUES (OLD.lane_id, OLD.cur_seq, OLD.open_version, OLD.attempt, OLD.open_epoch, 'AttemptBegun', OLD.open_since);
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION public.lane_next_head(head integer, ahead integer[])
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN head = ANY (ahead)
    THEN (SELECT min(s) FROM generate_series(head, head + cardinality(ahead)) AS s WHERE s <> ALL (ahead))
    ELSE head END
$function$
;

CREATE OR REPLACE FUNCTION public.lane_overtaken(place integer, head integer, redo integer[], ahead integer[])
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT GREATEST(0, head - place - 1 - (SELECT count(*) FROM unnest(redo) AS s WHERE s > place)::int)
    + (SELECT count(*) FROM unnest(ahead) AS s WHERE s > place)::int
$function$
;

CREATE OR REPLACE FUNCTION public.lane_overtakes(issue integer, cur integer, head integer, redo integer[], ahead integer[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT issue > cur AND issue >= head AND issue <> ALL (ahead) AND issue <> ALL (redo) AND cardinality(redo) < 1000
$function$
;

CREATE OR REPLACE FUNCTION public.lane_settled_ahead(head integer, cur integer, ahead integer[])
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN cur < head THEN ahead
    WHEN cur = head AND cardinality(ahead) = 0 THEN ahead
    ELSE lane_trim_ahead(lane_settled_head(head, cur, ahead), ahead || cur) END
$function$
;

CREATE OR REPLACE FUNCTION public.lane_settled_head(head integer, cur integer, ahead integer[])
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN cur < head THEN head
    WHEN cardinality(ahead) = 0 THEN CASE WHEN cur = head THEN head + 1 ELSE head END
    ELSE lane_next_head(head, ahead || cur) END
$function$
;

CREATE OR REPLACE FUNCTION public.lane_settled_redo(cur integer, redo integer[])
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN cardinality(redo) = 0 THEN redo ELSE array_remove(redo, cur) END
$function$
;

CREATE OR REPLACE FUNCTION public.lane_trim_ahead(head integer, ahead integer[])
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN cardinality(ahead) = 0 THEN ahead
    ELSE COALESCE((SELECT array_agg(DISTINCT s ORDER BY s) FROM unnest(ahead) AS s WHERE s >= head), '{}') END
$function$
;

CREATE OR REPLACE FUNCTION public.last_ended_attempt(lane bigint, place integer)
 RETURNS TABLE(data jsonb)
 LANGUAGE sql
 STABLE
AS $function$
  SELECT e.data FROM intent_event e
  WHERE e.lane_id = lane AND e.seq = place AND e.type IN ('AttemptRejected', 'AttemptNotApplied', 'AttemptUnknown')
  ORDER BY e.version DESC LIMIT 1
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change_but_erase()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.sealed_correction IS NULL AND to_jsonb(NEW) - 'sealed_correction' = to_jsonb(OLD) - 'sealed_correction' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change_but_retire()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('loyaltyd.retire', true) = 'on'
    AND pg_has_role((SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_undelivering()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT FROM intent i WHERE i.lane_id = NEW.lane_id AND i.seq = NEW.seq AND i.operation IN ('transaction', 'reward'))
    AND EXISTS (SELECT FROM intent_event e WHERE e.lane_id = NEW.lane_id AND e.seq = NEW.seq
      AND (e.type IN ('AttemptApplied', 'VerifiedApplied') OR e.type = 'IntentResolved' AND e.data->>'as' = 'delivered')) THEN
    RAISE EXCEPTION '% of what is delivered', NEW.type USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_unforgotten()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$
;

CREATE OR REPLACE FUNCTION public.require_ownership(wanted integer[])
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  IF is_fenced() OR EXISTS (SELECT FROM ownership WHERE NOT wanted <@ partitions) THEN
    RAISE EXCEPTION 'this database may not record: see loyaltyd own' USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  RETURN true;
END $function$
;

CREATE OR REPLACE FUNCTION public.standing_after(type text, data jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE type
    WHEN 'WaitingBegan' THEN 'waiting'
    WHEN 'AttemptUnknown' THEN 'unknown'
    WHEN 'VerifiedApplied' THEN 'delivered'
    WHEN 'IntentParked' THEN 'parked'
    WHEN 'IntentResolved' THEN CASE WHEN data->>'as' = 'delivered' THEN 'delivered' ELSE NULL END
    WHEN 'IntentCancelled' THEN 'cancelled'
    END
$function$
;

CREATE TABLE anonymous_receipt (
  key bigint NOT NULL,
  forget_on date NOT NULL,
  sold_on date,
  left_over numeric NOT NULL,
  CONSTRAINT anonymous_receipt_pkey PRIMARY KEY (key)
);

CREATE TABLE cancel_mark (
  key bytea NOT NULL,
  lane_id bigint NOT NULL,
  reason text NOT NULL,
  total_mac bytea,
  topic text NOT NULL,
  partition integer NOT NULL,
  kafka_offset bigint NOT NULL,
  happened_at timestamp with time zone NOT NULL,
  sealed bytea,
  named_lane_id bigint,
  CONSTRAINT cancel_mark_pkey PRIMARY KEY (key),
  CONSTRAINT cancel_mark_reason_check CHECK ((reason = ANY (ARRAY['voided'::text, 'revoked'::text])))
);

CREATE TABLE daemon_process (
  process_id uuid NOT NULL,
  host text NOT NULL,
  roles text[] NOT NULL,
  started_at timestamp with time zone NOT NULL,
  heartbeat_at timestamp with time zone NOT NULL,
  programs_hash bytea NOT NULL,
  programs_since timestamp with time zone NOT NULL,
  programs_problem text,
  key_ids text[] NOT NULL DEFAULT '{}'::text[],
  figures jsonb,
  CONSTRAINT daemon_process_pkey PRIMARY KEY (process_id)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500, fillfactor=50);

CREATE TABLE dead_letter_outbox (
  quarantine_id bigint NOT NULL,
  CONSTRAINT dead_letter_outbox_pkey PRIMARY KEY (quarantine_id),
  CONSTRAINT dead_letter_outbox_quarantine_id_fkey FOREIGN KEY (quarantine_id) REFERENCES quarantine(quarantine_id)
);

CREATE TABLE dedup (
  key bytea NOT NULL,
  kind text NOT NULL,
  body_mac bytea NOT NULL,
  lane_id bigint,
  seq integer,
  seen_on date,
  CONSTRAINT dedup_kind_check CHECK ((kind = ANY (ARRAY['event'::text, 'business'::text, 'mark'::text, 'place'::text]))),
  CONSTRAINT dedup_pkey PRIMARY KEY (key)
);
CREATE INDEX dedup_digest_of_lane ON public.dedup USING btree (lane_id) WHERE (body_mac <> '\x'::bytea);
CREATE TRIGGER dedup_append_only BEFORE UPDATE ON public.dedup FOR EACH ROW EXECUTE FUNCTION refuse_unforgotten();
CREATE TRIGGER dedup_no_delete BEFORE DELETE OR TRUNCATE ON public.dedup FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_retire();

CREATE TABLE digest_erasure (
  lane_id bigint NOT NULL,
  erased_seq integer NOT NULL,
  since timestamp with time zone NOT NULL,
  CONSTRAINT digest_erasure_pkey PRIMARY KEY (lane_id)
);
CREATE INDEX digest_erasure_by_time ON public.digest_erasure USING btree (since);

CREATE TABLE erasure (
  lane_id bigint NOT NULL,
  until_seq integer NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  erased_name text NOT NULL,
  CONSTRAINT erasure_lane_id_fkey FOREIGN KEY (lane_id) REFERENCES member(lane_id),
  CONSTRAINT erasure_pkey PRIMARY KEY (lane_id)
);

CREATE TABLE installation (
  only_row boolean NOT NULL DEFAULT true,
  partner_base_url text,
  partner_environment text,
  wrapped_mac_key bytea NOT NULL,
  wrapped_quarantine_key bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT installation_only_row_check CHECK (only_row),
  CONSTRAINT installation_pkey PRIMARY KEY (only_row)
);

CREATE TABLE intent (
  lane_id bigint NOT NULL,
  seq integer NOT NULL,
  version integer NOT NULL,
  operation text NOT NULL,
  dedup_key bytea NOT NULL,
  waits_for_seq integer,
  payload bytea NOT NULL,
  store_id text,
  purchase_id text,
  valid_until timestamp with time zone,
  currency text,
  event_type text NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  broker_at timestamp with time zone NOT NULL,
  recorded_at timestamp with time zone NOT NULL,
  topic text NOT NULL,
  partition integer NOT NULL,
  kafka_offset bigint NOT NULL,
  programs_hash bytea NOT NULL,
  pos bigint NOT NULL DEFAULT nextval('event_pos_seq'::regclass),
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  source text,
  waits_for_key bytea,
  amount numeric,
  receipt bytea,
  previous_total numeric,
  corrected_total numeric,
  CONSTRAINT intent_pkey PRIMARY KEY (lane_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX intent_purchase ON public.intent USING btree (lower(purchase_id) text_pattern_ops) WHERE (purchase_id IS NOT NULL);
CREATE INDEX intent_receipt ON public.intent USING btree (receipt) WHERE (receipt IS NOT NULL);
CREATE INDEX intent_recorded ON public.intent USING btree (recorded_at, lane_id, seq);
CREATE INDEX intent_revoked_elsewhere ON public.intent USING btree (waits_for_key) WHERE ((waits_for_key IS NOT NULL) AND (event_type = 'loyalty.reward.revoked.v1'::text));
CREATE TRIGGER intent_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.intent FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_retire();

CREATE TABLE intent_event (
  pos bigint NOT NULL DEFAULT nextval('event_pos_seq'::regclass),
  lane_id bigint NOT NULL,
  seq integer NOT NULL,
  version integer NOT NULL,
  attempt integer NOT NULL,
  epoch integer NOT NULL,
  type text NOT NULL,
  at timestamp with time zone NOT NULL,
  data jsonb,
  sealed bytea,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  begun_version integer,
  begun_epoch integer,
  begun_at timestamp with time zone
) WITH (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX intent_event_of_intent ON public.intent_event USING btree (lane_id, seq, version);
CREATE INDEX intent_event_pos ON public.intent_event USING btree (pos);
CREATE TRIGGER intent_event_amount AFTER INSERT ON public.intent_event FOR EACH ROW WHEN (((new.type = 'IntentCorrected'::text) AND ((new.data ->> 'amount'::text) IS NOT NULL))) EXECUTE FUNCTION keep_amount_of_standing();
CREATE TRIGGER intent_event_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.intent_event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_retire();
CREATE TRIGGER intent_event_delivered_once BEFORE INSERT ON public.intent_event FOR EACH ROW WHEN ((new.type = ANY (ARRAY['AttemptUnknown'::text, 'IntentParked'::text, 'IntentReissued'::text, 'IntentReleased'::text, 'IntentReplayed'::text, 'ResendDecided'::text, 'VerifiedAbsent'::text, 'WaitingBegan'::text]))) EXECUTE FUNCTION refuse_undelivering();
CREATE TRIGGER intent_event_standing AFTER INSERT ON public.intent_event FOR EACH ROW WHEN ((new.type = ANY (ARRAY['WaitingBegan'::text, 'IntentReleased'::text, 'AttemptUnknown'::text, 'ResendDecided'::text, 'VerifiedApplied'::text, 'VerifiedAbsent'::text, 'IntentParked'::text, 'IntentReplayed'::text, 'IntentReissued'::text, 'IntentResolved'::text, 'IntentCancelled'::text]))) EXECUTE FUNCTION keep_intent_standing();

CREATE TABLE intent_standing (
  lane_id bigint NOT NULL,
  seq integer NOT NULL,
  status text NOT NULL,
  reason text,
  code text,
  fingerprint text,
  since timestamp with time zone NOT NULL,
  recorded_at timestamp with time zone NOT NULL,
  program_id text NOT NULL,
  operation text NOT NULL,
  currency text,
  awaits_lane_id bigint,
  awaits_seq integer,
  amount numeric,
  held_until timestamp with time zone,
  CONSTRAINT intent_standing_pkey PRIMARY KEY (lane_id, seq),
  CONSTRAINT intent_standing_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'unknown'::text, 'parked'::text, 'cancelled'::text, 'delivered'::text])))
) WITH (autovacuum_vacuum_scale_factor=0.02, fillfactor=80);
CREATE INDEX intent_standing_awaits ON public.intent_standing USING btree (awaits_lane_id, awaits_seq) WHERE (awaits_lane_id IS NOT NULL);
CREATE INDEX intent_standing_held ON public.intent_standing USING btree (program_id, held_until) WHERE (held_until IS NOT NULL);
CREATE INDEX intent_standing_list ON public.intent_standing USING btree (status, recorded_at, lane_id, seq);
CREATE INDEX intent_standing_open ON public.intent_standing USING btree (program_id, operation, status) INCLUDE (currency, amount, lane_id, seq) WHERE (status = ANY (ARRAY['waiting'::text, 'unknown'::text, 'parked'::text]));

CREATE TABLE intent_tally (
  topic text NOT NULL,
  partition integer NOT NULL,
  program_id text NOT NULL,
  operation text NOT NULL,
  recorded bigint NOT NULL,
  CONSTRAINT intent_tally_pkey PRIMARY KEY (topic, partition, program_id, operation)
) WITH (fillfactor=50);

CREATE TABLE job (
  job_id text NOT NULL,
  kind text NOT NULL,
  program_id text,
  request jsonb NOT NULL,
  reason text NOT NULL,
  state text NOT NULL,
  rate_per_second double precision,
  is_canary boolean NOT NULL DEFAULT false,
  canary jsonb NOT NULL DEFAULT '{"from": 0, "failed": 0, "settled": 0}'::jsonb,
  cursor jsonb,
  progress jsonb NOT NULL DEFAULT '{}'::jsonb,
  selection jsonb,
  counts jsonb,
  report jsonb,
  error text,
  failures integer NOT NULL DEFAULT 0,
  lines integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  created_by text NOT NULL,
  started_at timestamp with time zone,
  started_by text,
  start_reason text,
  finished_at timestamp with time zone,
  owner uuid,
  leased_until timestamp with time zone,
  due_at timestamp with time zone,
  needs_role text,
  CONSTRAINT job_needs_role_check CHECK ((needs_role = ANY (ARRAY['operator'::text, 'admin'::text]))),
  CONSTRAINT job_pkey PRIMARY KEY (job_id),
  CONSTRAINT job_rate_per_second_check CHECK ((rate_per_second > (0)::double precision)),
  CONSTRAINT job_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'waiting'::text, 'running'::text, 'paused'::text, 'stopped'::text, 'done'::text, 'failed'::text, 'cancelled'::text])))
) WITH (fillfactor=70);
CREATE INDEX job_by_prefix ON public.job USING btree (lower(job_id) text_pattern_ops);
CREATE INDEX job_kind ON public.job USING btree (kind, created_at DESC);
CREATE INDEX job_open ON public.job USING btree (created_at) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text, 'stopped'::text]));
CREATE INDEX job_uncounted ON public.job USING btree (leased_until) WHERE ((selection IS NOT NULL) AND (counts IS NULL));

CREATE TABLE job_gone (
  job_id text NOT NULL,
  CONSTRAINT job_gone_pkey PRIMARY KEY (job_id)
);

CREATE TABLE job_item (
  job_id text NOT NULL,
  ordinal integer NOT NULL,
  lane_id bigint,
  seq integer,
  quarantine_id bigint,
  version integer,
  forecast text NOT NULL,
  overtaken integer NOT NULL,
  state text NOT NULL DEFAULT 'waiting'::text,
  detail text,
  sent_at timestamp with time zone,
  CONSTRAINT job_item_check CHECK ((((lane_id IS NOT NULL) AND (seq IS NOT NULL) AND (quarantine_id IS NULL)) OR ((lane_id IS NULL) AND (seq IS NULL) AND (quarantine_id IS NOT NULL)))),
  CONSTRAINT job_item_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(job_id),
  CONSTRAINT job_item_job_id_lane_id_seq_key UNIQUE (job_id, lane_id, seq),
  CONSTRAINT job_item_pkey PRIMARY KEY (job_id, ordinal),
  CONSTRAINT job_item_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'done'::text, 'delivered'::text, 'parked'::text, 'cancelled'::text, 'refused'::text, 'skipped'::text])))
) WITH (fillfactor=80);
CREATE INDEX job_item_state ON public.job_item USING btree (job_id, state, ordinal);

CREATE TABLE job_line (
  job_id text NOT NULL,
  ordinal integer NOT NULL,
  data jsonb NOT NULL,
  CONSTRAINT job_line_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(job_id),
  CONSTRAINT job_line_pkey PRIMARY KEY (job_id, ordinal)
);

CREATE TABLE kafka_offset (
  cluster_id text NOT NULL,
  topic text NOT NULL,
  incarnation integer NOT NULL,
  partition integer NOT NULL,
  next_offset bigint NOT NULL,
  last_fingerprint bytea,
  last_offset bigint,
  CONSTRAINT kafka_offset_pkey PRIMARY KEY (cluster_id, topic, incarnation, partition)
);

CREATE TABLE lane (
  lane_id bigint NOT NULL,
  program_id text NOT NULL,
  due_at timestamp with time zone,
  epoch integer NOT NULL DEFAULT 0,
  revision integer NOT NULL DEFAULT 0,
  version integer NOT NULL DEFAULT 0,
  head_seq integer NOT NULL DEFAULT 1,
  tail_seq integer NOT NULL DEFAULT 0,
  cur_seq integer NOT NULL DEFAULT 1,
  attempt integer NOT NULL DEFAULT 0,
  attempt_open boolean NOT NULL DEFAULT false,
  open_since timestamp with time zone,
  redo integer[] NOT NULL DEFAULT '{}'::integer[],
  ahead integer[] NOT NULL DEFAULT '{}'::integer[],
  issue_seq integer,
  pass text NOT NULL DEFAULT 'unknown'::text,
  state text NOT NULL DEFAULT 'live'::text,
  owner uuid,
  open_version integer,
  open_epoch integer,
  high_seq integer NOT NULL DEFAULT 0,
  normal_seq integer NOT NULL DEFAULT 0,
  priority integer NOT NULL GENERATED ALWAYS AS (
CASE
    WHEN (LEAST(head_seq, cur_seq) <= high_seq) THEN 0
    WHEN (LEAST(head_seq, cur_seq) <= normal_seq) THEN 1
    ELSE 2
END) STORED,
  CONSTRAINT lane_pass_check CHECK ((pass = ANY (ARRAY['unknown'::text, 'absent'::text, 'known'::text]))),
  CONSTRAINT lane_pkey PRIMARY KEY (lane_id),
  CONSTRAINT lane_state_check CHECK ((state = ANY (ARRAY['live'::text, 'waiting'::text, 'blocked'::text])))
) WITH (autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000, fillfactor=70);
CREATE INDEX lane_blocked ON public.lane USING btree (lane_id) WHERE (state = 'blocked'::text);
CREATE INDEX lane_due ON public.lane USING btree (program_id, priority, due_at) WHERE (due_at IS NOT NULL);
CREATE TRIGGER lane_open_begin AFTER DELETE ON public.lane FOR EACH ROW WHEN ((old.attempt_open AND (old.open_version IS NOT NULL))) EXECUTE FUNCTION keep_open_begin();

CREATE TABLE lane_start (
  lane_id bigint NOT NULL,
  version integer NOT NULL,
  gone integer NOT NULL,
  tail_seq integer NOT NULL,
  epoch integer NOT NULL,
  issue_seq integer,
  pass text NOT NULL,
  ended_before timestamp with time zone NOT NULL,
  CONSTRAINT lane_start_pkey PRIMARY KEY (lane_id)
) WITH (fillfactor=80);

CREATE TABLE maintenance_run (
  only_row boolean NOT NULL DEFAULT true,
  ended_at timestamp with time zone NOT NULL,
  report jsonb NOT NULL,
  CONSTRAINT maintenance_run_only_row_check CHECK (only_row),
  CONSTRAINT maintenance_run_pkey PRIMARY KEY (only_row)
);

CREATE TABLE member (
  lane_id bigint NOT NULL DEFAULT nextval('lane_id_seq'::regclass),
  program_id text NOT NULL,
  member_id text NOT NULL,
  generation integer NOT NULL DEFAULT 1,
  created_at timestamp with time zone NOT NULL,
  profile_sequence text,
  profile_at timestamp with time zone,
  erased_seq integer NOT NULL DEFAULT 0,
  enrolment_key bytea,
  enrolment_mac bytea,
  profile_marks jsonb,
  left_at timestamp with time zone,
  back_at timestamp with time zone,
  enrolled_at timestamp with time zone,
  erased_at timestamp with time zone,
  born_at timestamp with time zone,
  merged_into text,
  merged_at timestamp with time zone,
  undone_from text,
  undone_at timestamp with time zone,
  person_macs bytea,
  nameless_since timestamp with time zone,
  CONSTRAINT member_pkey PRIMARY KEY (lane_id),
  CONSTRAINT member_program_id_member_id_key UNIQUE (program_id, member_id)
) WITH (fillfactor=90);
CREATE INDEX member_by_prefix ON public.member USING btree (lower(member_id) text_pattern_ops) WHERE (nameless_since IS NULL);
CREATE INDEX member_merged_into ON public.member USING btree (program_id, merged_into) WHERE (merged_into IS NOT NULL);
CREATE INDEX member_nameless ON public.member USING btree (nameless_since) WHERE (nameless_since IS NOT NULL);
CREATE INDEX member_undone_from ON public.member USING btree (program_id, undone_from) WHERE (undone_from IS NOT NULL);

CREATE TABLE member_key (
  lane_id bigint NOT NULL,
  wrapped_key bytea NOT NULL,
  CONSTRAINT member_key_lane_id_fkey FOREIGN KEY (lane_id) REFERENCES member(lane_id),
  CONSTRAINT member_key_pkey PRIMARY KEY (lane_id)
);

CREATE TABLE minute_checkpoint (
  only_row boolean NOT NULL DEFAULT true,
  at timestamp with time zone NOT NULL,
  quarantine_id bigint NOT NULL,
  CONSTRAINT minute_checkpoint_only_row_check CHECK (only_row),
  CONSTRAINT minute_checkpoint_pkey PRIMARY KEY (only_row)
) WITH (fillfactor=50);

CREATE TABLE minute_tally (
  at timestamp with time zone NOT NULL,
  program_id text NOT NULL,
  received integer,
  delivered integer NOT NULL DEFAULT 0,
  parked integer NOT NULL DEFAULT 0,
  unknown integer NOT NULL DEFAULT 0,
  cancelled integer NOT NULL DEFAULT 0,
  quarantined integer,
  waiting bigint,
  pending bigint,
  still_unknown bigint,
  still_parked bigint,
  call_buckets smallint[],
  call_counts integer[],
  lag_records bigint,
  lag_seconds integer,
  CONSTRAINT minute_tally_pkey PRIMARY KEY (at, program_id)
) WITH (fillfactor=80);

CREATE TABLE notice (
  notice_id uuid NOT NULL,
  channel text NOT NULL,
  is_trial boolean NOT NULL,
  made_at timestamp with time zone NOT NULL,
  content jsonb NOT NULL,
  begun text[] NOT NULL DEFAULT '{}'::text[],
  over text[] NOT NULL DEFAULT '{}'::text[],
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamp with time zone,
  delivered_at timestamp with time zone,
  problem text,
  CONSTRAINT notice_channel_check CHECK ((channel = ANY (ARRAY['webhook'::text, 'mail'::text]))),
  CONSTRAINT notice_pkey PRIMARY KEY (notice_id)
);
CREATE INDEX notice_of_channel ON public.notice USING btree (channel, made_at);
CREATE UNIQUE INDEX notice_under_way ON public.notice USING btree (channel) WHERE (due_at IS NOT NULL);

CREATE TABLE notice_condition (
  key text NOT NULL,
  since timestamp with time zone NOT NULL,
  detail jsonb NOT NULL,
  CONSTRAINT notice_condition_pkey PRIMARY KEY (key)
);

CREATE TABLE notice_look (
  only_row boolean NOT NULL DEFAULT true,
  looked_at timestamp with time zone NOT NULL,
  CONSTRAINT notice_look_only_row_check CHECK (only_row),
  CONSTRAINT notice_look_pkey PRIMARY KEY (only_row)
);

CREATE TABLE notice_told (
  channel text NOT NULL,
  key text NOT NULL,
  since timestamp with time zone NOT NULL,
  detail jsonb NOT NULL,
  over_at timestamp with time zone,
  CONSTRAINT notice_told_channel_check CHECK ((channel = ANY (ARRAY['webhook'::text, 'mail'::text]))),
  CONSTRAINT notice_told_pkey PRIMARY KEY (channel, key)
);

CREATE TABLE operator_action (
  action_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamp with time zone NOT NULL,
  actor text NOT NULL,
  role text,
  address text,
  action text NOT NULL,
  reason text NOT NULL,
  lane_id bigint,
  seq integer,
  detail jsonb,
  subject text,
  request_id text,
  CONSTRAINT operator_action_pkey PRIMARY KEY (action_id),
  CONSTRAINT operator_action_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'operator'::text, 'admin'::text])))
);
CREATE INDEX operator_action_by_time ON public.operator_action USING btree (at, action_id);
CREATE INDEX operator_action_of_actor ON public.operator_action USING btree (actor, at, action_id);
CREATE INDEX operator_action_of_events ON public.operator_action USING btree (at) WHERE (action ~~ 'event.%'::text);
CREATE INDEX operator_action_of_intent ON public.operator_action USING btree (lane_id, seq) WHERE (lane_id IS NOT NULL);
CREATE INDEX operator_action_of_kind ON public.operator_action USING btree (action, at, action_id);
CREATE INDEX operator_action_of_member ON public.operator_action USING btree (lane_id, at, action_id) WHERE (lane_id IS NOT NULL);
CREATE INDEX operator_action_of_request ON public.operator_action USING btree (lower(request_id) text_pattern_ops) WHERE (request_id IS NOT NULL);
CREATE TRIGGER operator_action_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.operator_action FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_retire();

CREATE TABLE ownership (
  only_row boolean NOT NULL DEFAULT true,
  epoch bigint NOT NULL,
  place text NOT NULL,
  state text NOT NULL,
  since timestamp with time zone NOT NULL,
  shop text,
  partition_count integer,
  partitions integer[],
  CONSTRAINT ownership_check CHECK ((num_nulls(shop, partition_count, partitions) = ANY (ARRAY[0, 3]))),
  CONSTRAINT ownership_only_row_check CHECK (only_row),
  CONSTRAINT ownership_pkey PRIMARY KEY (only_row),
  CONSTRAINT ownership_state_check CHECK ((state = ANY (ARRAY['held'::text, 'leaving'::text, 'released'::text])))
);

CREATE TABLE pass_holder (
  name_mac bytea NOT NULL,
  lane_id bigint NOT NULL,
  CONSTRAINT pass_holder_lane_id_fkey FOREIGN KEY (lane_id) REFERENCES member(lane_id),
  CONSTRAINT pass_holder_pkey PRIMARY KEY (name_mac)
);
CREATE INDEX pass_holder_lane ON public.pass_holder USING btree (lane_id);

CREATE TABLE pause (
  pause_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  program_id text,
  operation text,
  factor text,
  since timestamp with time zone NOT NULL,
  set_by text NOT NULL,
  reason text NOT NULL,
  automatic boolean NOT NULL,
  until_at timestamp with time zone,
  lifted_at timestamp with time zone,
  lifted_by text,
  lifted_reason text,
  CONSTRAINT pause_check CHECK (((factor IS NULL) OR (program_id IS NOT NULL))),
  CONSTRAINT pause_check1 CHECK (((until_at IS NULL) OR ((until_at > since) AND (NOT automatic)))),
  CONSTRAINT pause_pkey PRIMARY KEY (pause_id)
);
CREATE UNIQUE INDEX pause_in_force ON public.pause USING btree (program_id, operation, factor) NULLS NOT DISTINCT WHERE (lifted_at IS NULL);

CREATE TABLE program_gate (
  program_id text NOT NULL,
  rest_until timestamp with time zone,
  breaker_opened_at timestamp with time zone,
  breaker_until timestamp with time zone,
  guest_job text,
  guest_rate double precision,
  guest_since timestamp with time zone,
  guest_until timestamp with time zone,
  CONSTRAINT program_gate_pkey PRIMARY KEY (program_id)
) WITH (fillfactor=50);

CREATE TABLE program_move (
  program_id text NOT NULL,
  at timestamp with time zone NOT NULL,
  done_lane_id bigint NOT NULL DEFAULT 0,
  CONSTRAINT program_move_pkey PRIMARY KEY (program_id)
);

CREATE TABLE programs_load (
  load_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamp with time zone NOT NULL,
  programs_hash bytea NOT NULL,
  host text NOT NULL,
  content text,
  actor text,
  reason text,
  accepted text[] NOT NULL,
  refused text[],
  CONSTRAINT programs_load_pkey PRIMARY KEY (load_id)
);

CREATE TABLE programs_reload (
  reload_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at timestamp with time zone NOT NULL,
  programs_hash bytea NOT NULL,
  CONSTRAINT programs_reload_pkey PRIMARY KEY (reload_id)
);

CREATE TABLE projection_checkpoint (
  name text NOT NULL,
  pos bigint,
  owner uuid,
  leased_until timestamp with time zone,
  CONSTRAINT projection_checkpoint_pkey PRIMARY KEY (name)
);

CREATE TABLE provisioned (
  brand_id text NOT NULL,
  program_id text NOT NULL,
  kind text NOT NULL,
  type_id text NOT NULL,
  name text NOT NULL,
  version integer NOT NULL,
  step_id uuid NOT NULL,
  action text NOT NULL,
  state text NOT NULL,
  content jsonb NOT NULL,
  placed jsonb,
  partner_id text,
  at timestamp with time zone NOT NULL,
  until timestamp with time zone,
  job_id text,
  actor text,
  evidence jsonb,
  CONSTRAINT provisioned_action_check CHECK ((action = ANY (ARRAY['create'::text, 'update'::text]))),
  CONSTRAINT provisioned_kind_check CHECK ((kind = ANY (ARRAY['brand'::text, 'brand-attribute'::text, 'transaction-type'::text, 'transaction-attribute'::text, 'template'::text]))),
  CONSTRAINT provisioned_pkey PRIMARY KEY (brand_id, program_id, kind, type_id, name, version),
  CONSTRAINT provisioned_state_check CHECK ((state = ANY (ARRAY['begun'::text, 'created'::text, 'updated'::text, 'refused'::text, 'not-applied'::text, 'unknown'::text]))),
  CONSTRAINT provisioned_version_check CHECK ((version > 0))
);
CREATE UNIQUE INDEX provisioned_step ON public.provisioned USING btree (step_id, version);
CREATE TRIGGER provisioned_append_only BEFORE DELETE OR UPDATE ON public.provisioned FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER provisioned_no_truncate BEFORE TRUNCATE ON public.provisioned FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE quarantine (
  quarantine_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  topic text NOT NULL,
  partition integer NOT NULL,
  kafka_offset bigint NOT NULL,
  reason text NOT NULL,
  detail text NOT NULL,
  sealed_key bytea,
  sealed_value bytea,
  sealed_headers bytea NOT NULL,
  value_bytes integer NOT NULL,
  broker_at timestamp with time zone NOT NULL,
  recorded_at timestamp with time zone NOT NULL,
  state text NOT NULL DEFAULT 'open'::text,
  erased_at timestamp with time zone,
  last_offset bigint,
  source text,
  store_id text,
  program_id text,
  number_key bytea,
  number_lane_id bigint,
  person_macs bytea,
  person_programs jsonb,
  cause text NOT NULL DEFAULT ''::text,
  amount numeric,
  currency text,
  CONSTRAINT quarantine_pkey PRIMARY KEY (quarantine_id),
  CONSTRAINT quarantine_state_check CHECK ((state = ANY (ARRAY['open'::text, 'resubmitted'::text, 'discarded'::text])))
);
CREATE INDEX quarantine_by_number ON public.quarantine USING btree (number_key) WHERE ((state <> 'discarded'::text) AND (number_key IS NOT NULL));
CREATE INDEX quarantine_by_reason ON public.quarantine USING btree (reason, quarantine_id) WHERE (state = 'open'::text);
CREATE INDEX quarantine_by_source ON public.quarantine USING btree (source, state, quarantine_id) WHERE (source IS NOT NULL);
CREATE INDEX quarantine_mapped ON public.quarantine USING btree (recorded_at) WHERE (person_macs IS NOT NULL);
CREATE INDEX quarantine_open ON public.quarantine USING btree (topic, partition, quarantine_id) WHERE (state = 'open'::text);
CREATE INDEX quarantine_place ON public.quarantine USING btree (topic, partition, kafka_offset);
CREATE INDEX quarantine_state ON public.quarantine USING btree (state, quarantine_id);

CREATE TABLE quarantine_name (
  name_mac bytea NOT NULL,
  quarantine_id bigint NOT NULL,
  CONSTRAINT quarantine_name_pkey PRIMARY KEY (name_mac, quarantine_id),
  CONSTRAINT quarantine_name_quarantine_id_fkey FOREIGN KEY (quarantine_id) REFERENCES quarantine(quarantine_id) ON DELETE CASCADE
);
CREATE INDEX quarantine_name_of_record ON public.quarantine_name USING btree (quarantine_id);

CREATE TABLE quarantine_settlement (
  quarantine_id bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  result text NOT NULL,
  ignored_reason text,
  lane_id bigint,
  seq integer,
  sealed_correction bytea,
  CONSTRAINT quarantine_settlement_pkey PRIMARY KEY (quarantine_id),
  CONSTRAINT quarantine_settlement_quarantine_id_fkey FOREIGN KEY (quarantine_id) REFERENCES quarantine(quarantine_id) ON DELETE CASCADE,
  CONSTRAINT quarantine_settlement_result_check CHECK ((result = ANY (ARRAY['recorded'::text, 'duplicate'::text, 'ignored'::text, 'discarded'::text])))
);
CREATE TRIGGER quarantine_settlement_no_update BEFORE UPDATE ON public.quarantine_settlement FOR EACH ROW EXECUTE FUNCTION refuse_change_but_erase();

CREATE TABLE reconciliation (
  reconciliation_id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  job_id text NOT NULL,
  CONSTRAINT reconciliation_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(job_id),
  CONSTRAINT reconciliation_job_id_key UNIQUE (job_id),
  CONSTRAINT reconciliation_pkey PRIMARY KEY (reconciliation_id)
);

CREATE TABLE reconciliation_seen (
  lane_id bigint NOT NULL,
  reconciliation_id integer NOT NULL,
  mark integer NOT NULL,
  CONSTRAINT reconciliation_seen_pkey PRIMARY KEY (reconciliation_id, lane_id)
) WITH (autovacuum_vacuum_scale_factor=0.05);

CREATE TABLE recovery (
  recovered_from timestamp with time zone NOT NULL,
  started_at timestamp with time zone NOT NULL,
  produced_until timestamp with time zone NOT NULL,
  CONSTRAINT recovery_pkey PRIMARY KEY (recovered_from)
);

CREATE TABLE replica (
  replica_id uuid NOT NULL,
  started_at timestamp with time zone NOT NULL,
  heartbeat_at timestamp with time zone NOT NULL,
  programs jsonb NOT NULL,
  CONSTRAINT replica_pkey PRIMARY KEY (replica_id)
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500, fillfactor=50);

CREATE TABLE retired_tally (
  program_id text NOT NULL,
  operation text NOT NULL,
  status text NOT NULL,
  intents bigint NOT NULL,
  CONSTRAINT retired_tally_pkey PRIMARY KEY (program_id, operation, status),
  CONSTRAINT retired_tally_status_check CHECK ((status = ANY (ARRAY['delivered'::text, 'cancelled'::text])))
) WITH (fillfactor=50);

CREATE TABLE schema_mark (
  migration text NOT NULL,
  serves bigint NOT NULL,
  CONSTRAINT schema_mark_pkey PRIMARY KEY (migration)
);

CREATE TABLE settled_tally (
  program_id text NOT NULL,
  operation text NOT NULL,
  status text NOT NULL,
  intents bigint NOT NULL,
  CONSTRAINT settled_tally_pkey PRIMARY KEY (program_id, operation, status),
  CONSTRAINT settled_tally_status_check CHECK ((status = ANY (ARRAY['delivered'::text, 'cancelled'::text])))
) WITH (fillfactor=50);

CREATE TABLE source_gap (
  cluster_id text NOT NULL,
  topic text NOT NULL,
  incarnation integer NOT NULL,
  partition integer NOT NULL,
  stored_offset bigint NOT NULL,
  oldest_offset bigint NOT NULL,
  found_at timestamp with time zone NOT NULL,
  accepted_at timestamp with time zone,
  accepted_by text,
  accepted_reason text,
  resumed_at timestamp with time zone,
  CONSTRAINT source_gap_pkey PRIMARY KEY (cluster_id, topic, incarnation, partition, stored_offset)
);

CREATE TABLE tally_checkpoint (
  only_row boolean NOT NULL DEFAULT true,
  pos bigint NOT NULL,
  CONSTRAINT tally_checkpoint_only_row_check CHECK (only_row),
  CONSTRAINT tally_checkpoint_pkey PRIMARY KEY (only_row)
) WITH (fillfactor=50);

CREATE VIEW intent_history AS
 SELECT intent_event.pos,
    intent_event.lane_id,
    intent_event.seq,
    intent_event.version,
    intent_event.attempt,
    intent_event.epoch,
    intent_event.type,
    intent_event.at,
    intent_event.data,
    intent_event.sealed,
    intent_event.xid
   FROM intent_event
UNION ALL
 SELECT intent_event.pos,
    intent_event.lane_id,
    intent_event.seq,
    intent_event.begun_version AS version,
    intent_event.attempt,
    intent_event.begun_epoch AS epoch,
    'AttemptBegun'::text AS type,
    intent_event.begun_at AS at,
    NULL::jsonb AS data,
    NULL::bytea AS sealed,
    intent_event.xid
   FROM intent_event
  WHERE (intent_event.begun_version IS NOT NULL)
UNION ALL
 SELECT NULL::bigint AS pos,
    lane.lane_id,
    lane.cur_seq AS seq,
    lane.open_version AS version,
    lane.attempt,
    lane.open_epoch AS epoch,
    'AttemptBegun'::text AS type,
    lane.open_since AS at,
    NULL::jsonb AS data,
    NULL::bytea AS sealed,
    NULL::xid8 AS xid
   FROM lane
  WHERE (lane.attempt_open AND (lane.open_version IS NOT NULL));
