/** A lane's row, and its cursor's arithmetic under the row lock: as `libs/intents/src/core/lane` has it, which a property test holds to. */
export const lanes = `
-- The only hot row-updated table: one narrow row per member, rebuildable from the truth. issue_seq: the last
-- recorded enrolment, which may overtake what waits for the pass. due_at: NULL = nothing to do or blocked; past =
-- claimable; future = backoff, or leased until then when owner is set. open_version, open_epoch: of the attempt
-- under way, beside attempt_open, attempt, cur_seq and open_since. high_seq, normal_seq: the last recorded intent of
-- that priority; priority: the highest that waits in it, 0 high, 1 normal, 2 low. Whoever moves the cursor moves that.
CREATE TABLE lane (
  lane_id bigint PRIMARY KEY,
  program_id text NOT NULL,
  due_at timestamptz,
  epoch int NOT NULL DEFAULT 0,
  revision int NOT NULL DEFAULT 0,
  version int NOT NULL DEFAULT 0,
  head_seq int NOT NULL DEFAULT 1,
  tail_seq int NOT NULL DEFAULT 0,
  cur_seq int NOT NULL DEFAULT 1,
  attempt int NOT NULL DEFAULT 0,
  attempt_open boolean NOT NULL DEFAULT false,
  open_since timestamptz,
  redo int[] NOT NULL DEFAULT '{}',
  ahead int[] NOT NULL DEFAULT '{}',
  issue_seq int,
  pass text NOT NULL DEFAULT 'unknown' CHECK (pass IN ('unknown', 'absent', 'known')),
  state text NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'waiting', 'blocked')),
  owner uuid,
  open_version int,
  open_epoch int,
  high_seq int NOT NULL DEFAULT 0,
  normal_seq int NOT NULL DEFAULT 0,
  priority int NOT NULL GENERATED ALWAYS AS (CASE WHEN LEAST(head_seq, cur_seq) <= high_seq THEN 0
    WHEN LEAST(head_seq, cur_seq) <= normal_seq THEN 1 ELSE 2 END) STORED
)
  WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0);
-- No lane that moves is in it, and whether one moves is written with due_at: it costs their updates nothing but a
-- look.
CREATE INDEX lane_blocked ON lane (lane_id) WHERE (state = 'blocked');
CREATE INDEX lane_due ON lane (program_id, priority, due_at) WHERE (due_at IS NOT NULL);

CREATE FUNCTION lane_next_head(head int, ahead int[]) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN head = ANY (ahead)
    THEN (SELECT min(s) FROM generate_series(head, head + cardinality(ahead)) AS s WHERE s <> ALL (ahead))
    ELSE head END
$$;

CREATE FUNCTION lane_trim_ahead(head int, ahead int[]) RETURNS int[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN cardinality(ahead) = 0 THEN ahead
    ELSE COALESCE((SELECT array_agg(DISTINCT s ORDER BY s) FROM unnest(ahead) AS s WHERE s >= head), '{}') END
$$;

CREATE FUNCTION lane_settled_head(head int, cur int, ahead int[]) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN cur < head THEN head
    WHEN cardinality(ahead) = 0 THEN CASE WHEN cur = head THEN head + 1 ELSE head END
    ELSE lane_next_head(head, ahead || cur) END
$$;

CREATE FUNCTION lane_settled_ahead(head int, cur int, ahead int[]) RETURNS int[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN cur < head THEN ahead
    WHEN cur = head AND cardinality(ahead) = 0 THEN ahead
    ELSE lane_trim_ahead(lane_settled_head(head, cur, ahead), ahead || cur) END
$$;

CREATE FUNCTION lane_settled_redo(cur int, redo int[]) RETURNS int[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN cardinality(redo) = 0 THEN redo ELSE array_remove(redo, cur) END
$$;

-- How many later intents of the lane are settled: overtakenBy of libs/intents/src/core/lane.
CREATE FUNCTION lane_overtaken(place int, head int, redo int[], ahead int[]) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT GREATEST(0, head - place - 1 - (SELECT count(*) FROM unnest(redo) AS s WHERE s > place)::int)
    + (SELECT count(*) FROM unnest(ahead) AS s WHERE s > place)::int
$$;

-- Whether the last enrolment goes before what waits for the pass: mayOvertake of libs/intents/src/core/lane.
CREATE FUNCTION lane_overtakes(issue int, cur int, head int, redo int[], ahead int[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT issue > cur AND issue >= head AND issue <> ALL (ahead) AND issue <> ALL (redo) AND cardinality(redo) < 1000
$$;

-- What the partner told one replica and all must obey: a rest (Retry-After), an open circuit breaker. A job that
-- reads at the partner, for whose calls per second delivery makes room. One at a time per program.
CREATE TABLE program_gate (
  program_id text PRIMARY KEY,
  rest_until timestamptz,
  breaker_opened_at timestamptz,
  breaker_until timestamptz,
  guest_job text,
  guest_rate float8,
  guest_since timestamptz,
  guest_until timestamptz
) WITH (fillfactor = 50);

-- What must not be begun, by a person's word or by itself. program_id NULL: every program; operation NULL: every
-- one; factor: only the calls with this in common, such as reward:9002. until_at: it is over then, whether or not somebody has
-- noted that yet; NULL: it is to be lifted. A lifted pause is kept: it says who stopped what, when and why.
CREATE TABLE pause (
  pause_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  program_id text,
  operation text,
  factor text CHECK (factor IS NULL OR program_id IS NOT NULL),
  since timestamptz NOT NULL,
  set_by text NOT NULL,
  reason text NOT NULL,
  automatic boolean NOT NULL,
  until_at timestamptz CHECK (until_at IS NULL OR until_at > since AND NOT automatic),
  lifted_at timestamptz,
  lifted_by text,
  lifted_reason text
);
CREATE UNIQUE INDEX pause_in_force ON pause (program_id, operation, factor) NULLS NOT DISTINCT WHERE (lifted_at IS NULL);
`;
