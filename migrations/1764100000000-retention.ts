import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What may leave the truth, and the only way in which it may. See docs/decisions/0048. */
export class Retention1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Truth: files that hold what has left the tables.
CREATE TABLE archive (
  archive_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  file text NOT NULL UNIQUE,
  sha256 bytea NOT NULL,
  bytes bigint NOT NULL,
  intents int NOT NULL,
  facts int NOT NULL,
  first_pos bigint NOT NULL,
  last_pos bigint NOT NULL,
  archived_at timestamptz NOT NULL
);

-- Truth: which intents of a lane left with which file; those of seqs that are not in cancelled were delivered.
CREATE TABLE lane_archive (
  lane_id bigint NOT NULL,
  archive_id int NOT NULL REFERENCES archive (archive_id),
  seqs int[] NOT NULL,
  cancelled int[] NOT NULL,
  PRIMARY KEY (lane_id, archive_id)
);

-- Truth: how a lane stood at a version, from which it can be rebuilt without what has left. kept: facts up to that version
-- that are still there; counted: what has left, by operation and end.
CREATE TABLE lane_checkpoint (
  lane_id bigint PRIMARY KEY,
  version int NOT NULL,
  kept int NOT NULL,
  lane jsonb NOT NULL,
  counted jsonb NOT NULL,
  made_at timestamptz NOT NULL
) WITH (fillfactor = 80);

-- One row: who is at it, and what came of the last run.
CREATE TABLE retention_run (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  owner uuid,
  leased_until timestamptz,
  began_at timestamptz,
  ended_at timestamptz,
  report jsonb
);
INSERT INTO retention_run DEFAULT VALUES;

-- NULL: seen before this column was there. Such keys are kept for ever.
ALTER TABLE dedup ADD COLUMN seen_on date;

CREATE TRIGGER archive_append_only BEFORE UPDATE OR DELETE ON archive FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER archive_no_truncate BEFORE TRUNCATE ON archive FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lane_archive_append_only BEFORE UPDATE OR DELETE ON lane_archive
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lane_archive_no_truncate BEFORE TRUNCATE ON lane_archive
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A checkpoint only ever moves forward.
CREATE TRIGGER lane_checkpoint_forward BEFORE UPDATE ON lane_checkpoint FOR EACH ROW
  WHEN (NEW.lane_id <> OLD.lane_id OR NEW.version < OLD.version) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lane_checkpoint_no_delete BEFORE DELETE ON lane_checkpoint FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lane_checkpoint_no_truncate BEFORE TRUNCATE ON lane_checkpoint
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The setting alone opens nothing: what is deleted must be in a file that is known, and behind its lane's checkpoint.
CREATE FUNCTION refuse_uncovered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('loyaltyd.purge', true) = 'covered' AND EXISTS (
    SELECT FROM lane_checkpoint c JOIN lane_archive a USING (lane_id)
    WHERE c.lane_id = OLD.lane_id AND c.version >= OLD.version AND OLD.seq = ANY (a.seqs)
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- The key of an intent outlives it.
CREATE FUNCTION refuse_unforgotten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('loyaltyd.purge', true) = 'forgotten' AND OLD.seen_on IS NOT NULL
    AND NOT EXISTS (SELECT FROM intent i WHERE i.lane_id = OLD.lane_id AND i.seq = OLD.seq)
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

DROP TRIGGER intent_append_only ON intent;
CREATE TRIGGER intent_append_only BEFORE UPDATE OR DELETE ON intent FOR EACH ROW EXECUTE FUNCTION refuse_uncovered();
DROP TRIGGER intent_event_append_only ON intent_event;
CREATE TRIGGER intent_event_append_only BEFORE UPDATE OR DELETE ON intent_event
  FOR EACH ROW EXECUTE FUNCTION refuse_uncovered();
DROP TRIGGER dedup_append_only ON dedup;
CREATE TRIGGER dedup_append_only BEFORE UPDATE OR DELETE ON dedup FOR EACH ROW EXECUTE FUNCTION refuse_unforgotten();

-- The setting is the body's: as a clause of the function it asks for a superuser, whom managed servers do not give.
-- The only door out of the truth: what of a lane is in an archive and behind its checkpoint.
CREATE FUNCTION purge_covered(lane bigint, archived int, OUT intents int, OUT events int) LANGUAGE plpgsql AS $$
DECLARE
  covered int[] := (SELECT a.seqs FROM lane_archive a WHERE a.lane_id = lane AND a.archive_id = archived);
BEGIN
  PERFORM set_config('loyaltyd.purge', 'covered', true);
  DELETE FROM intent_event e WHERE e.lane_id = lane AND e.seq = ANY (covered);
  GET DIAGNOSTICS events = ROW_COUNT;
  DELETE FROM intent_standing s WHERE s.lane_id = lane AND s.seq = ANY (covered);
  DELETE FROM intent i WHERE i.lane_id = lane AND i.seq = ANY (covered);
  GET DIAGNOSTICS intents = ROW_COUNT;
  PERFORM set_config('loyaltyd.purge', '', true);
END $$;

-- Keys that were seen before a day, of which no intent is left, within a part of the table.
CREATE FUNCTION purge_forgotten(before date, first_page bigint, end_page bigint) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  gone int;
BEGIN
  PERFORM set_config('loyaltyd.purge', 'forgotten', true);
  DELETE FROM dedup d
  WHERE d.ctid >= format('(%s,0)', first_page)::tid AND d.ctid < format('(%s,0)', end_page)::tid AND d.seen_on < before
    AND NOT EXISTS (SELECT FROM intent i WHERE i.lane_id = d.lane_id AND i.seq = d.seq);
  GET DIAGNOSTICS gone = ROW_COUNT;
  PERFORM set_config('loyaltyd.purge', '', true);
  RETURN gone;
END $$;

REVOKE UPDATE, DELETE, TRUNCATE ON archive, lane_archive, lane_checkpoint FROM PUBLIC;
REVOKE ALL ON FUNCTION purge_covered(bigint, int), purge_forgotten(date, bigint, bigint) FROM PUBLIC;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
