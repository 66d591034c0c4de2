import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Holding the partner's passes against ours, and taking over those that we did not know. */
export class Reconciliation1764000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A job that reads at the partner, for whose calls per second delivery makes room. One at a time per program.
ALTER TABLE program_gate ADD COLUMN guest_job text, ADD COLUMN guest_rate double precision,
  ADD COLUMN guest_since timestamptz, ADD COLUMN guest_until timestamptz;

-- Which members a reconciliation has seen at the partner; deleted when it ends. mark: part of a digest of what names the pass.
CREATE TABLE reconciliation (
  reconciliation_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id text NOT NULL UNIQUE REFERENCES job (job_id)
);
CREATE TABLE reconciliation_seen (
  lane_id bigint NOT NULL,
  reconciliation_id int NOT NULL,
  mark int NOT NULL,
  PRIMARY KEY (reconciliation_id, lane_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

-- An enrolment whose pass is gone is open again.
DROP TRIGGER intent_event_standing ON intent_event;
CREATE TRIGGER intent_event_standing AFTER INSERT ON intent_event FOR EACH ROW
  WHEN (NEW.type IN ('WaitingBegan', 'IntentReleased', 'AttemptUnknown', 'ResendDecided', 'VerifiedApplied',
    'VerifiedAbsent', 'IntentParked', 'IntentReplayed', 'IntentReissued', 'IntentResolved', 'IntentCancelled'))
  EXECUTE FUNCTION keep_intent_standing();
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
