/** What people did. */
export const operators = `
-- Who did what, when and why. lane_id and seq: the intent it was done to, if it was done to one. detail: nothing
-- personal. subject: issuer and sub of the token, with a space between them; NULL of tokens of OPS_TOKENS and of
-- jobs. role: in which they acted, of a job who asked for it; NULL of the command line on the machine, and of the
-- daemon. Who inserts takes a transaction id before the number: readers of all actions rely on it.
CREATE TABLE operator_action (
  action_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  actor text NOT NULL,
  role text CHECK (role IN ('viewer', 'operator', 'admin')),
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
CREATE INDEX operator_action_by_time ON operator_action (at, action_id);
CREATE INDEX operator_action_of_actor ON operator_action (actor, at, action_id);
CREATE INDEX operator_action_of_kind ON operator_action (action, at, action_id);
CREATE INDEX operator_action_of_member ON operator_action (lane_id, at, action_id) WHERE (lane_id IS NOT NULL);
CREATE INDEX operator_action_of_request ON operator_action (lower(request_id) text_pattern_ops) WHERE (request_id IS NOT NULL);
-- What events have done by their own word is counted by the hour.
CREATE INDEX operator_action_of_events ON operator_action (at) WHERE (action LIKE 'event.%');
CREATE TRIGGER operator_action_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_action
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_retire();
`;
