import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people make of records that were set aside (contracts.md section 5). Older programs go on beside it. */
export class QuarantineActions1764000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- open: nobody has dealt with it. resubmitted: quarantine_settlement says what became of it. discarded: it was given up.
-- All else of a row stays as it was recorded.
ALTER TABLE quarantine ADD COLUMN state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'resubmitted', 'discarded'));
CREATE INDEX quarantine_state ON quarantine (state, quarantine_id);
CREATE INDEX quarantine_open ON quarantine (topic, partition, quarantine_id) WHERE state = 'open';

-- Who dealt with a record set aside, why, and what came of it. lane_id and seq: the intent it became, or had become
-- already. sealed_correction: what it was taken for instead of what arrived, sealed with the quarantine key. Never
-- changed; goes only with its record.
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
CREATE TRIGGER quarantine_settlement_no_update BEFORE UPDATE ON quarantine_settlement
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
