import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Truth (intent, intent_event, dedup), the lanes rebuilt from it, and what ingest needs. design.md section 4. */
export class EventStoreAndLanes1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- One row: which partner this database belongs to (as soon as a process that talks to it has started), and the keys that must survive a rotation of the master key.
CREATE TABLE installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  partner_base_url text,
  partner_environment text,
  wrapped_mac_key bytea NOT NULL,
  wrapped_quarantine_key bytea NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE SEQUENCE lane_id_seq;

-- A program's customer. generation rises with opted-out(program) and erasure: the member may enrol again.
CREATE TABLE member (
  lane_id bigint PRIMARY KEY DEFAULT nextval('lane_id_seq'),
  program_id text NOT NULL,
  member_id text NOT NULL,
  generation int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL,
  UNIQUE (program_id, member_id)
);
ALTER SEQUENCE lane_id_seq OWNED BY member.lane_id;

-- The member's data key, wrapped by the master key. Destroying the row is the erasure.
CREATE TABLE member_key (
  lane_id bigint PRIMARY KEY REFERENCES member (lane_id),
  wrapped_key bytea NOT NULL
);

CREATE SEQUENCE event_pos_seq;

-- Truth: one row per IntentRecorded. seq is dense per lane; version is dense per lane over intent and intent_event.
-- payload is sealed with the member's key: the frozen partner command and the source event.
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
  amount_minor bigint,
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
  PRIMARY KEY (lane_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);

-- Truth: what happened after the recording, in partitions of 50 million positions. data holds what may be read in the clear, sealed the evidence.
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
  xid xid8 NOT NULL DEFAULT pg_current_xact_id()
) PARTITION BY RANGE (pos);
CREATE INDEX intent_event_of_intent ON intent_event (lane_id, seq, version);
CREATE TABLE intent_event_p1 PARTITION OF intent_event FOR VALUES FROM (MINVALUE) TO (50000000);
CREATE TABLE intent_event_p2 PARTITION OF intent_event FOR VALUES FROM (50000000) TO (100000000);
CREATE TABLE intent_event_default PARTITION OF intent_event DEFAULT;

-- Truth: what was already seen. body_mac is keyed: a plain hash of personal data could be guessed after erasure.
CREATE TABLE dedup (
  key bytea PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('event', 'business')),
  body_mac bytea NOT NULL,
  lane_id bigint,
  seq int
);

-- The only hot row-updated table: one narrow row per member, rebuildable from the truth.
-- issue_seq: the last recorded enrolment, which may overtake what waits for the pass.
-- due_at: NULL = nothing to do or blocked; past = claimable; future = backoff, or leased until then when owner is set.
CREATE TABLE lane (
  lane_id bigint PRIMARY KEY,
  program_id text NOT NULL,
  due_at timestamptz,
  epoch int NOT NULL DEFAULT 0,
  revision int NOT NULL DEFAULT 0,
  version int NOT NULL DEFAULT 0,
  head_seq int NOT NULL DEFAULT 1,
  tail_seq int NOT NULL DEFAULT 0,
  cur_seq int NOT NULL DEFAULT 1,
  attempt int NOT NULL DEFAULT 0,
  attempt_open boolean NOT NULL DEFAULT false,
  open_since timestamptz,
  redo int[] NOT NULL DEFAULT '{}',
  ahead int[] NOT NULL DEFAULT '{}',
  issue_seq int,
  pass text NOT NULL DEFAULT 'unknown' CHECK (pass IN ('unknown', 'absent', 'known')),
  state text NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'waiting', 'blocked')),
  owner uuid
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);
CREATE INDEX lane_due ON lane (program_id, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE kafka_offset (
  cluster_id text NOT NULL,
  topic text NOT NULL,
  incarnation int NOT NULL,
  partition int NOT NULL,
  next_offset bigint NOT NULL,
  last_fingerprint bytea,
  PRIMARY KEY (cluster_id, topic, incarnation, partition)
);

-- Source records that could not become intents; original bytes sealed with the quarantine key.
CREATE TABLE quarantine (
  quarantine_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic text NOT NULL,
  partition int NOT NULL,
  kafka_offset bigint NOT NULL,
  reason text NOT NULL,
  detail text NOT NULL,
  sealed_key bytea,
  sealed_value bytea,
  sealed_headers bytea NOT NULL,
  value_bytes int NOT NULL,
  broker_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL
);

-- What must still reach the dead-letter topic; a row goes when the broker has acknowledged it.
CREATE TABLE dead_letter_outbox (
  quarantine_id bigint PRIMARY KEY REFERENCES quarantine (quarantine_id)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER intent_append_only BEFORE UPDATE OR DELETE ON intent FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER intent_no_truncate BEFORE TRUNCATE ON intent FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER intent_event_append_only BEFORE UPDATE OR DELETE ON intent_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER intent_event_no_truncate BEFORE TRUNCATE ON intent_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER intent_event_p1_no_truncate BEFORE TRUNCATE ON intent_event_p1
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER intent_event_p2_no_truncate BEFORE TRUNCATE ON intent_event_p2
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER intent_event_default_no_truncate BEFORE TRUNCATE ON intent_event_default
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER dedup_append_only BEFORE UPDATE OR DELETE ON dedup FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER dedup_no_truncate BEFORE TRUNCATE ON dedup FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON intent, intent_event, intent_event_p1, intent_event_p2, intent_event_default,
  dedup FROM PUBLIC;
`);
  }

  async down(): Promise<void> {
    // Migrations only go forward: undoing this one would destroy the truth.
    throw new Error('the event store cannot be undone; restore a backup instead');
  }
}
