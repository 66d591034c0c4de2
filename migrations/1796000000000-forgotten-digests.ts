import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an erased member's events said is forgotten, digests included (docs/decisions/0183). */
export class ForgottenDigests1796000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Erased members whose digests in dedup are still to be forgotten, up to erased_seq.
CREATE TABLE digest_erasure (
  lane_id bigint PRIMARY KEY,
  erased_seq int NOT NULL,
  since timestamptz NOT NULL
);
CREATE INDEX digest_erasure_by_time ON digest_erasure (since);
INSERT INTO digest_erasure (lane_id, erased_seq, since) SELECT lane_id, erased_seq, now() FROM member WHERE erased_seq > 0;

-- An empty body_mac: what it said is forgotten, and whatever comes under its key is the same again. A row with a lane and
-- without a seq led to no intent of its own; lane 0 is nobody's.
CREATE OR REPLACE FUNCTION refuse_unforgotten() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.kind = 'mark' AND NEW.kind = 'business' AND NEW.key = OLD.key THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.body_mac = ''::bytea
    AND (NEW.key, NEW.kind, NEW.lane_id, NEW.seq, NEW.seen_on)
      IS NOT DISTINCT FROM (OLD.key, OLD.kind, OLD.lane_id, OLD.seq, OLD.seen_on)
  THEN
    RETURN NEW;
  END IF;
  IF TG_OP = 'DELETE' AND current_setting('loyaltyd.purge', true) = 'forgotten' AND OLD.seen_on IS NOT NULL
    AND NOT EXISTS (SELECT FROM intent i WHERE i.lane_id = OLD.lane_id AND i.seq = OLD.seq)
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% on %: this table is append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
