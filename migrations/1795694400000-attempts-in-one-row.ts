import type { QueryRunner } from 'typeorm';

import type { Migration } from '#platform';

/**
 * An attempt is one row of `intent_event`: its outcome, which also says when and under which version and lease it was begun.
 * Until then the lane's row says so (decision 0170).
 */
export class AttemptsInOneRow1795694400000 implements Migration {
  readonly breaking = {
    serves: 1795694400000,
    why: 'an attempt under way stands on its lane alone: who looks for its begin among the events takes it for not begun',
  };

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE intent_event ADD COLUMN begun_version int, ADD COLUMN begun_epoch int, ADD COLUMN begun_at timestamptz;

-- Of the attempt under way, beside attempt_open, attempt, cur_seq and open_since. Null: its begin is a row of its own.
ALTER TABLE lane ADD COLUMN open_version int, ADD COLUMN open_epoch int;

-- Every event, begins included: of attempts that have ended from their outcomes, of those under way from their lanes.
CREATE VIEW intent_history AS
SELECT pos, lane_id, seq, version, attempt, epoch, type, at, data, sealed, xid FROM intent_event
UNION ALL
SELECT pos, lane_id, seq, begun_version, attempt, begun_epoch, 'AttemptBegun', begun_at, NULL, NULL, xid
FROM intent_event WHERE begun_version IS NOT NULL
UNION ALL
SELECT NULL, lane_id, cur_seq, open_version, attempt, open_epoch, 'AttemptBegun', open_since, NULL, NULL, NULL
FROM lane WHERE attempt_open AND open_version IS NOT NULL;

-- A lane is deleted by nobody of ours: should somebody do so, the begin of an attempt under way becomes a row of its own.
CREATE FUNCTION keep_open_begin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
  VALUES (OLD.lane_id, OLD.cur_seq, OLD.open_version, OLD.attempt, OLD.open_epoch, 'AttemptBegun', OLD.open_since);
  RETURN NULL;
END $$;

CREATE TRIGGER lane_open_begin AFTER DELETE ON lane FOR EACH ROW
  WHEN (OLD.attempt_open AND OLD.open_version IS NOT NULL) EXECUTE FUNCTION keep_open_begin();

-- Counts facts: a row that carries its attempt's begin is two.
CREATE OR REPLACE FUNCTION purge_covered(lane bigint, archived integer, OUT intents integer, OUT events integer)
 RETURNS record LANGUAGE plpgsql AS $$
DECLARE
  covered int[] := (SELECT a.seqs FROM lane_archive a WHERE a.lane_id = lane AND a.archive_id = archived);
BEGIN
  PERFORM set_config('loyaltyd.purge', 'covered', true);
  WITH gone AS (DELETE FROM intent_event e WHERE e.lane_id = lane AND e.seq = ANY (covered) RETURNING e.begun_version)
  SELECT count(*) + count(begun_version) INTO events FROM gone;
  DELETE FROM intent_standing s WHERE s.lane_id = lane AND s.seq = ANY (covered);
  DELETE FROM intent i WHERE i.lane_id = lane AND i.seq = ANY (covered);
  GET DIAGNOSTICS intents = ROW_COUNT;
  PERFORM set_config('loyaltyd.purge', '', true);
END $$;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
