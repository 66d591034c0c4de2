/** What Kafka has brought: how far each partition is read, gaps, and records that could not become intents. */
export const sources = `
-- last_fingerprint is that of the record at last_offset, the last one consumed.
CREATE TABLE kafka_offset (
  cluster_id text NOT NULL,
  topic text NOT NULL,
  incarnation int NOT NULL,
  partition int NOT NULL,
  next_offset bigint NOT NULL,
  last_fingerprint bytea,
  last_offset bigint,
  PRIMARY KEY (cluster_id, topic, incarnation, partition)
);

-- Records lost to a topic's retention before they were consumed: the partition stands still until a person accepts
-- it.
CREATE TABLE source_gap (
  cluster_id text NOT NULL,
  topic text NOT NULL,
  incarnation int NOT NULL,
  partition int NOT NULL,
  stored_offset bigint NOT NULL,
  oldest_offset bigint NOT NULL,
  found_at timestamptz NOT NULL,
  accepted_at timestamptz,
  accepted_by text,
  accepted_reason text,
  resumed_at timestamptz,
  PRIMARY KEY (cluster_id, topic, incarnation, partition, stored_offset)
);

-- Source records that could not become intents; original bytes sealed with the quarantine key. open: nobody has
-- dealt with it. resubmitted: quarantine_settlement says what became of it. discarded: it was given up. All else of
-- a row stays as it was recorded. erased_at: since when key, value and headers are gone, because they were about
-- somebody who was erased. last_offset: the row holds a whole record batch that was not taken apart, for its records
-- from kafka_offset to this one. NULL: one record. source, store_id, program_id: '' where the record does not say,
-- or could not be read. number_key: the key in dedup of the sale, refund or grant that it tells: as long as it is open, and
-- where it was taken in under another number or none, what takes back under that number may mean it. NULL: it tells of none, or its number could not be read. number_lane_id: of
-- the member that it names; NULL: of none that was known. person_macs: of a record that a map reads, 16 bytes each of a
-- keyed digest of the ids and addresses that could be read in it, by which an erasure finds it. NULL: it is an event of
-- ours, or its bytes are gone. person_programs: for which its source could speak. NULL: for every one. cause: the detail
-- without the numbers in it, by which records are grouped. amount, currency: what it tells of, as far as that can be read.
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
  recorded_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'resubmitted', 'discarded')),
  erased_at timestamptz,
  last_offset bigint,
  source text,
  store_id text,
  program_id text,
  number_key bytea,
  number_lane_id bigint,
  person_macs bytea,
  person_programs jsonb,
  cause text NOT NULL DEFAULT '',
  amount numeric,
  currency text
);
CREATE INDEX quarantine_by_number ON quarantine (number_key) WHERE (state <> 'discarded' AND number_key IS NOT NULL);
CREATE INDEX quarantine_by_reason ON quarantine (reason, quarantine_id) WHERE (state = 'open');
CREATE INDEX quarantine_by_source ON quarantine (source, state, quarantine_id) WHERE (source IS NOT NULL);
CREATE INDEX quarantine_place ON quarantine (topic, partition, kafka_offset);
CREATE INDEX quarantine_open ON quarantine (topic, partition, quarantine_id) WHERE (state = 'open');
CREATE INDEX quarantine_mapped ON quarantine (recorded_at) WHERE person_macs IS NOT NULL;
CREATE INDEX quarantine_state ON quarantine (state, quarantine_id);

-- By which names a record is found that stand sealed in it: keyed digests of its member's id, and of its receipt's and other
-- numbers. Rows go with its bytes.
CREATE TABLE quarantine_name (
  name_mac bytea NOT NULL,
  quarantine_id bigint NOT NULL REFERENCES quarantine (quarantine_id) ON DELETE CASCADE,
  PRIMARY KEY (name_mac, quarantine_id)
);
CREATE INDEX quarantine_name_of_record ON quarantine_name (quarantine_id);

-- Who dealt with a record set aside, why, and what came of it. lane_id and seq: the intent it became, or had become
-- already. sealed_correction: what it was taken for instead of what arrived, sealed with the quarantine key. Never
-- changed, but for an erasure, which takes the correction out; goes only with its record.
CREATE TABLE quarantine_settlement (
  quarantine_id bigint PRIMARY KEY REFERENCES quarantine (quarantine_id) ON DELETE CASCADE,
  at timestamptz NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  result text NOT NULL CHECK (result IN ('recorded', 'duplicate', 'ignored', 'discarded')),
  ignored_reason text,
  lane_id bigint,
  seq int,
  sealed_correction bytea
);
CREATE FUNCTION refuse_change_but_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.sealed_correction IS NULL AND to_jsonb(NEW) - 'sealed_correction' = to_jsonb(OLD) - 'sealed_correction' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER quarantine_settlement_no_update BEFORE UPDATE ON quarantine_settlement
  FOR EACH ROW EXECUTE FUNCTION refuse_change_but_erase();

-- What must still reach the dead-letter topic; a row goes when the broker has acknowledged it.
CREATE TABLE dead_letter_outbox (
  quarantine_id bigint PRIMARY KEY REFERENCES quarantine (quarantine_id)
);
`;
