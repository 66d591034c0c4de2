import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was set up at the partner, which can list none of it (design.md section 8). */
export class Provisioning1764000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Each row is the next version of one thing: two processes that mean to do something about it cannot both write it. begun is
-- committed before its call. program_id and type_id are empty where the thing belongs to none. content: what the call was to
-- put in place; placed, partner_id: what is there as far as we know. until: begun: how long an answer is waited for;
-- not-applied: not again before then. actor: who said what became of it; null: the partner's answer. evidence: nothing personal.
CREATE TABLE provisioned (
  brand_id text NOT NULL,
  program_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('brand-attribute', 'transaction-type', 'transaction-attribute', 'template')),
  type_id text NOT NULL,
  name text NOT NULL,
  version int NOT NULL CHECK (version > 0),
  step_id uuid NOT NULL,
  action text NOT NULL CHECK (action IN ('create', 'update')),
  state text NOT NULL CHECK (state IN ('begun', 'created', 'updated', 'refused', 'not-applied', 'unknown')),
  content jsonb NOT NULL,
  placed jsonb,
  partner_id text,
  at timestamptz NOT NULL,
  until timestamptz,
  job_id text,
  actor text,
  evidence jsonb,
  PRIMARY KEY (brand_id, program_id, kind, type_id, name, version)
);
CREATE UNIQUE INDEX provisioned_step ON provisioned (step_id, version);
CREATE TRIGGER provisioned_append_only BEFORE UPDATE OR DELETE ON provisioned
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER provisioned_no_truncate BEFORE TRUNCATE ON provisioned
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
