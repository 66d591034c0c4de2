/** Work that operators begin and that goes on by itself. */
export const jobs = `
-- state: planned (a dry run of what is sent item by item: nothing is sent before somebody starts it), waiting for its
-- turn, running, paused by a person, stopped by its canary, done, failed, cancelled. One process at a time works on a
-- job, under a lease. cursor: where it goes on. failures: turns in a row that failed. due_at: its next turn is not
-- before this. The job that has waited longest comes first: none keeps the others waiting. error: why its last turn
-- failed, or why it stopped. needs_role: the role that created the job, or planned it and started it, the higher one.
-- rate_per_second: NULL: as its kind has it. canary: what it judges by: items up to its from were begun before it, the others
-- have settled, some of them failed. started_*: NULL until somebody has it begun. selection: {items, members,
-- money, byForecast} of what was frozen, NULL: its kind freezes nothing. counts: its items by state, kept as soon as
-- none can move any more by itself; NULL: they are to be counted.
CREATE TABLE job (
  job_id text PRIMARY KEY,
  kind text NOT NULL,
  program_id text,
  request jsonb NOT NULL,
  reason text NOT NULL,
  state text NOT NULL CHECK (state IN ('planned', 'waiting', 'running', 'paused', 'stopped', 'done', 'failed',
    'cancelled')),
  rate_per_second float8 CHECK (rate_per_second > 0),
  is_canary boolean NOT NULL DEFAULT false,
  canary jsonb NOT NULL DEFAULT '{"from": 0, "settled": 0, "failed": 0}',
  cursor jsonb,
  progress jsonb NOT NULL DEFAULT '{}',
  selection jsonb,
  counts jsonb,
  report jsonb,
  error text,
  failures int NOT NULL DEFAULT 0,
  lines int NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  started_at timestamptz,
  started_by text,
  start_reason text,
  finished_at timestamptz,
  owner uuid,
  leased_until timestamptz,
  due_at timestamptz,
  needs_role text CHECK (needs_role IN ('operator', 'admin'))
) WITH (fillfactor = 70);
CREATE INDEX job_by_prefix ON job (lower(job_id) text_pattern_ops);
CREATE INDEX job_kind ON job (kind, created_at DESC);
CREATE INDEX job_open ON job (created_at) WHERE (state IN ('waiting', 'running', 'paused', 'stopped'));
CREATE INDEX job_uncounted ON job (leased_until) WHERE (selection IS NOT NULL AND counts IS NULL);

-- Ids of jobs that have left: whoever asked by one is never answered with another's.
CREATE TABLE job_gone (
  job_id text PRIMARY KEY
);

-- What a job found, in the order in which it found it.
CREATE TABLE job_line (
  job_id text NOT NULL REFERENCES job (job_id),
  ordinal int NOT NULL,
  data jsonb NOT NULL,
  PRIMARY KEY (job_id, ordinal)
);

-- A frozen selection of intents, or of records set aside. version: of the last event of an intent then: what has moved since is
-- refused; NULL: whatever has become of it. forecast: what was to be expected then. state: what came of it; done: nothing is sent
-- for it; refused and skipped: nothing was done.
CREATE TABLE job_item (
  job_id text NOT NULL REFERENCES job (job_id),
  ordinal int NOT NULL,
  lane_id bigint,
  seq int,
  quarantine_id bigint,
  version int,
  forecast text NOT NULL,
  overtaken int NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'done', 'delivered', 'parked', 'cancelled',
    'refused', 'skipped')),
  detail text,
  sent_at timestamptz,
  PRIMARY KEY (job_id, ordinal),
  UNIQUE (job_id, lane_id, seq),
  CHECK (lane_id IS NOT NULL AND seq IS NOT NULL AND quarantine_id IS NULL
    OR lane_id IS NULL AND seq IS NULL AND quarantine_id IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX job_item_state ON job_item (job_id, state, ordinal);

-- Which members a reconciliation has seen at the partner; deleted when it ends. mark: part of a digest of what names
-- the pass.
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

-- Each row is the next version of one thing: two processes that mean to do something about it cannot both write it.
-- begun is committed before its call. program_id and type_id are empty where the thing belongs to none. content:
-- what the call was to put in place; placed, partner_id: what is there as far as we know. until: begun: how long an
-- answer is waited for; not-applied: not again before then. actor: who said what became of it; null: the partner's
-- answer. evidence: nothing personal.
CREATE TABLE provisioned (
  brand_id text NOT NULL,
  program_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('brand', 'brand-attribute', 'transaction-type', 'transaction-attribute',
    'template')),
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
`;
