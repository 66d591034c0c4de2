import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A void or revocation of what is not known yet leaves a mark under the full business key (docs/decisions/0100). */
export class CancelMarks1764800000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- mark: stands under the key of what is to be cancelled until that comes; then the row is its identity, as any other.
ALTER TABLE dedup DROP CONSTRAINT dedup_kind_check;
ALTER TABLE dedup ADD CONSTRAINT dedup_kind_check CHECK (kind IN ('event', 'business', 'mark')) NOT VALID;

-- What a void or revocation said of what was not known yet. lane_id: of the member it names. total_mac: keyed digest of the
-- amount; NULL: it named none. sealed: the record under the member's key; NULL: the member is erased.
CREATE TABLE cancel_mark (
  key bytea PRIMARY KEY,
  lane_id bigint NOT NULL,
  reason text NOT NULL CHECK (reason IN ('voided', 'revoked')),
  total_mac bytea,
  topic text NOT NULL,
  partition int NOT NULL,
  kafka_offset bigint NOT NULL,
  sealed bytea
);

CREATE OR REPLACE FUNCTION refuse_unforgotten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.kind = 'mark' AND NEW.kind = 'business' AND NEW.key = OLD.key THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND current_setting('loyaltyd.purge', true) = 'forgotten' AND OLD.seen_on IS NOT NULL
    AND NOT EXISTS (SELECT FROM intent i WHERE i.lane_id = OLD.lane_id AND i.seq = OLD.seq)
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- Marks go with the identities under whose keys they stand.
CREATE OR REPLACE FUNCTION purge_forgotten(before date, first_page bigint, end_page bigint) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  gone int;
BEGIN
  PERFORM set_config('loyaltyd.purge', 'forgotten', true);
  WITH forgotten AS (
    DELETE FROM dedup d
    WHERE d.ctid >= format('(%s,0)', first_page)::tid AND d.ctid < format('(%s,0)', end_page)::tid AND d.seen_on < before
      AND NOT EXISTS (SELECT FROM intent i WHERE i.lane_id = d.lane_id AND i.seq = d.seq)
    RETURNING d.key
  ), marks AS (
    DELETE FROM cancel_mark m USING forgotten f WHERE m.key = f.key
  )
  SELECT count(*) INTO gone FROM forgotten;
  PERFORM set_config('loyaltyd.purge', '', true);
  RETURN gone;
END $$;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
