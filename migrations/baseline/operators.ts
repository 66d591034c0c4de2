/** What people did, and the chain over it. */
export const operators = `
-- Who did what, when and why. lane_id and seq: the intent it was done to, if it was done to one. detail: nothing
-- personal. subject: issuer and sub of the token, with a space between them; NULL of tokens of OPS_TOKENS and of
-- jobs.
CREATE TABLE operator_action (
  action_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  actor text NOT NULL,
  address text,
  action text NOT NULL,
  reason text NOT NULL,
  lane_id bigint,
  seq int,
  detail jsonb,
  subject text,
  request_id text
);
CREATE INDEX operator_action_of_intent ON operator_action (lane_id, seq) WHERE (lane_id IS NOT NULL);
CREATE TRIGGER operator_action_append_only BEFORE UPDATE OR DELETE ON operator_action
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER operator_action_no_truncate BEFORE TRUNCATE ON operator_action
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- One link per action: digest covers the digest before and the action's row, in the form of that number
-- (libs/intents/src/audit/audit-link.ts). Link 0, of form 0, is the start: actions up to its action_id are older
-- than the chain.
CREATE TABLE audit_chain (
  no bigint PRIMARY KEY CHECK (no >= 0),
  action_id bigint NOT NULL,
  form int NOT NULL,
  digest bytea NOT NULL CHECK (octet_length(digest) = 32)
);
CREATE UNIQUE INDEX audit_chain_action ON audit_chain (action_id) WHERE (no > 0);
CREATE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE ON audit_chain
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_chain_no_truncate BEFORE TRUNCATE ON audit_chain
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Actions that wait for their link.
CREATE TABLE audit_unchained (
  action_id bigint PRIMARY KEY
);

CREATE FUNCTION await_audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_unchained (action_id) VALUES (NEW.action_id);
  RETURN NULL;
END $$;

CREATE TRIGGER operator_action_awaits_link AFTER INSERT ON operator_action
  FOR EACH ROW EXECUTE FUNCTION await_audit_link();

INSERT INTO audit_chain (no, action_id, form, digest)
VALUES (0, 0, 0, sha256(convert_to('loyaltyd audit, after action 0', 'UTF8')));
`;
