import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the outcomes topic, stale updates, gaps of topics and erasures need. */
export class SourcesAndOutputs1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- How far a reader of the events has come; one process at a time reads, under a lease. pos NULL: switched off, nothing is owed.
CREATE TABLE projection_checkpoint (
  name text PRIMARY KEY,
  pos bigint,
  owner uuid,
  leased_until timestamptz
);
INSERT INTO projection_checkpoint (name, pos)
SELECT 'outcomes', CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_pos_seq;
CREATE INDEX intent_event_pos ON intent_event (pos);

-- profile_*: the position of the last accepted update, older ones are stale. erased_seq: everything up to there is erased.
ALTER TABLE member ADD COLUMN profile_sequence text, ADD COLUMN profile_at timestamptz,
  ADD COLUMN erased_seq int NOT NULL DEFAULT 0;
ALTER TABLE member SET (fillfactor = 90);

-- An erasure that waits for what the member's leaving itself has caused (the opt-out at the partner).
CREATE TABLE erasure (
  lane_id bigint PRIMARY KEY REFERENCES member (lane_id),
  until_seq int NOT NULL,
  requested_at timestamptz NOT NULL
);

-- last_fingerprint is that of the record at last_offset, the last one consumed.
ALTER TABLE kafka_offset ADD COLUMN last_offset bigint;

-- Records lost to a topic's retention before they were consumed: the partition stands still until a person accepts it.
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
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
