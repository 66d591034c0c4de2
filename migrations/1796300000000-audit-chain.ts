import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit becomes a hash chain (decision 0189). */
export class AuditChain1796300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- One link per action: digest covers the digest before and the action's row, in the form of that number
-- (libs/intents/src/audit/audit-link.ts). Link 0, of form 0, is the start: actions up to its action_id are older than the chain.
CREATE TABLE audit_chain (
  no bigint PRIMARY KEY CHECK (no >= 0),
  action_id bigint NOT NULL,
  form int NOT NULL,
  digest bytea NOT NULL CHECK (octet_length(digest) = 32)
);
CREATE UNIQUE INDEX audit_chain_action ON audit_chain (action_id) WHERE no > 0;
CREATE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE ON audit_chain
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_chain_no_truncate BEFORE TRUNCATE ON audit_chain
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Actions that wait for their link.
CREATE TABLE audit_unchained (action_id bigint PRIMARY KEY);

CREATE FUNCTION await_audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_unchained (action_id) VALUES (NEW.action_id);
  RETURN NULL;
END $$;

-- It waits for whoever is writing an action, and they for us: from here on every action that commits waits for its link.
CREATE TRIGGER operator_action_awaits_link AFTER INSERT ON operator_action
  FOR EACH ROW EXECUTE FUNCTION await_audit_link();

INSERT INTO audit_unchained (action_id) SELECT action_id FROM operator_action;

INSERT INTO audit_chain (no, action_id, form, digest)
SELECT 0, last.id, 0, sha256(convert_to('loyaltyd audit, after action ' || last.id, 'UTF8'))
FROM (SELECT COALESCE(max(action_id), 0) AS id FROM operator_action) last;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
