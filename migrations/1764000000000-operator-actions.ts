import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people did, and how intents stand that are not simply on their way or delivered (design.md section 8). */
export class OperatorActions1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Who did what, when and why. lane_id and seq: the intent it was done to, if it was done to one. detail: nothing personal.
CREATE TABLE operator_action (
  action_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  actor text NOT NULL,
  address text,
  action text NOT NULL,
  reason text NOT NULL,
  lane_id bigint,
  seq int,
  detail jsonb
);
CREATE INDEX operator_action_of_intent ON operator_action (lane_id, seq) WHERE lane_id IS NOT NULL;
CREATE TRIGGER operator_action_append_only BEFORE UPDATE OR DELETE ON operator_action
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operator_action_no_truncate BEFORE TRUNCATE ON operator_action
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
