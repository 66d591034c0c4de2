import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where a superuser ran Retention while its functions still carried a setting as a clause, they get the bodies that it has now,
 * which an ordinary owner can create, too. Elsewhere nothing changes.
 */
export class PlainOwner1764450000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE OR REPLACE FUNCTION purge_covered(lane bigint, archived int, OUT intents int, OUT events int) LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION purge_forgotten(before date, first_page bigint, end_page bigint) RETURNS int LANGUAGE plpgsql AS $$
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
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
