/** What may leave the truth, and the only way in which it may (docs/decisions/0048). */
export const retention = `
-- Truth: files that hold what has left the tables.
CREATE TABLE archive (
  archive_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  file text NOT NULL UNIQUE,
  sha256 bytea NOT NULL,
  bytes bigint NOT NULL,
  intents int NOT NULL,
  facts int NOT NULL,
  first_pos bigint NOT NULL,
  last_pos bigint NOT NULL,
  archived_at timestamptz NOT NULL
);
CREATE TRIGGER archive_append_only BEFORE UPDATE OR DELETE ON archive
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER archive_no_truncate BEFORE TRUNCATE ON archive
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Truth: which intents of a lane left with which file; those of seqs that are not in cancelled were delivered.
CREATE TABLE lane_archive (
  lane_id bigint NOT NULL,
  archive_id int NOT NULL REFERENCES archive (archive_id),
  seqs int[] NOT NULL,
  cancelled int[] NOT NULL,
  PRIMARY KEY (lane_id, archive_id)
);
CREATE TRIGGER lane_archive_append_only BEFORE UPDATE OR DELETE ON lane_archive
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lane_archive_no_truncate BEFORE TRUNCATE ON lane_archive
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Truth: how a lane stood at a version, from which it can be rebuilt without what has left. kept: facts up to that
-- version that are still there; counted: what has left, by operation and end.
CREATE TABLE lane_checkpoint (
  lane_id bigint PRIMARY KEY,
  version int NOT NULL,
  kept int NOT NULL,
  lane jsonb NOT NULL,
  counted jsonb NOT NULL,
  made_at timestamptz NOT NULL
) WITH (fillfactor = 80);
-- A checkpoint only ever moves forward.
CREATE TRIGGER lane_checkpoint_forward BEFORE UPDATE ON lane_checkpoint
  FOR EACH ROW WHEN (NEW.lane_id <> OLD.lane_id OR NEW.version < OLD.version) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lane_checkpoint_no_delete BEFORE DELETE ON lane_checkpoint
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lane_checkpoint_no_truncate BEFORE TRUNCATE ON lane_checkpoint
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

REVOKE UPDATE, DELETE, TRUNCATE ON archive, lane_archive, lane_checkpoint FROM PUBLIC;

-- One row: who is at it, and what came of the last run.
CREATE TABLE retention_run (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  owner uuid,
  leased_until timestamptz,
  began_at timestamptz,
  ended_at timestamptz,
  report jsonb
);

INSERT INTO retention_run DEFAULT VALUES;

-- Counts facts: a row that carries its attempt's begin is two.
CREATE FUNCTION purge_covered(lane bigint, archived integer, OUT intents integer, OUT events integer)
 RETURNS record LANGUAGE plpgsql AS $$
DECLARE
  covered int[] := (SELECT a.seqs FROM lane_archive a WHERE a.lane_id = lane AND a.archive_id = archived);
BEGIN
  PERFORM set_config('loyaltyd.purge', 'covered', true);
  WITH gone AS (DELETE FROM intent_event e WHERE e.lane_id = lane AND e.seq = ANY (covered) RETURNING e.begun_version)
  SELECT count(*) + count(begun_version) INTO events FROM gone;
  DELETE FROM intent_standing s WHERE s.lane_id = lane AND s.seq = ANY (covered);
  DELETE FROM intent i WHERE i.lane_id = lane AND i.seq = ANY (covered);
  GET DIAGNOSTICS intents = ROW_COUNT;
  PERFORM set_config('loyaltyd.purge', '', true);
END $$;

-- Marks go with the identities under whose keys they stand.
CREATE FUNCTION purge_forgotten(before date, first_page bigint, end_page bigint) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  gone int;
BEGIN
  PERFORM set_config('loyaltyd.purge', 'forgotten', true);
  WITH forgotten AS (
    DELETE FROM dedup d
    WHERE d.ctid >= format('(%s,0)', first_page)::tid AND d.ctid < format('(%s,0)', end_page)::tid AND d.seen_on < before
      AND NOT EXISTS (SELECT FROM intent i WHERE i.lane_id = d.lane_id AND i.seq = d.seq)
    RETURNING d.key
  ), marks AS (
    DELETE FROM cancel_mark m USING forgotten f WHERE m.key = f.key
  )
  SELECT count(*) INTO gone FROM forgotten;
  PERFORM set_config('loyaltyd.purge', '', true);
  RETURN gone;
END $$;

-- The end of the last partition of the events. Bounds are kept as text, such as FOR VALUES FROM ('50000000') TO
-- ('100000000').
CREATE FUNCTION event_partitions_end() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT COALESCE(max((substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''?(\\d+)'))::bigint), 0)
  FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'intent_event'::regclass
$$;

-- As the migrations make a partition: nobody may empty it, and it belongs to whom all belongs, whoever of the
-- owner's members made it.
CREATE FUNCTION protect_partition(part text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %I OWNER TO %s', part,
    (SELECT relowner::regrole FROM pg_class WHERE oid = 'intent_event'::regclass));
  EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()',
    part || '_no_truncate', part);
  EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I FROM PUBLIC', part);
END $$;

-- Makes the next partition, or says false where another process has. CREATE TABLE ... PARTITION OF would lock out
-- whoever reads events; attaching a table of its own does not.
CREATE FUNCTION make_event_partition(from_pos bigint, to_pos bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  positions constant bigint := 50000000;
  part text := 'intent_event_p' || to_pos / positions;
BEGIN
  PERFORM pg_advisory_xact_lock(7226409115);
  IF from_pos <> event_partitions_end() THEN
    RETURN false;
  END IF;
  IF to_pos - from_pos <> positions OR from_pos > (SELECT last_value FROM event_pos_seq) + 101 * positions THEN
    RAISE EXCEPTION 'no partition of events is due from % to %', from_pos, to_pos
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE intent_event INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION)', part);
  PERFORM protect_partition(part);
  EXECUTE format('ALTER TABLE intent_event ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', part, from_pos, to_pos);
  RETURN true;
END $$;

-- How many events lie in the default partition, up to a number at which the counting stops.
CREATE FUNCTION count_stray_events(counted_max int) RETURNS int LANGUAGE sql STABLE AS $$
  SELECT count(*)::int FROM (SELECT FROM intent_event_default LIMIT counted_max) s
$$;

-- Turns the default partition into a bounded one, in three transactions: nothing is moved or deleted. First it is
-- promised that all of it lies within bounds, those of positions still to be given out included; without that
-- promise the rows would be read through once more, while everybody waits. The promise is checked, which locks out
-- nobody who reads or adds.
CREATE FUNCTION bound_stray_events(from_pos bigint, to_pos bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  positions constant bigint := 50000000;
BEGIN
  PERFORM pg_advisory_xact_lock(7226409115);
  IF from_pos <> event_partitions_end() OR to_pos % positions <> 0 OR to_pos < from_pos + positions
    OR to_pos < (SELECT last_value FROM event_pos_seq) + positions
  THEN
    RAISE EXCEPTION 'stray events cannot be bound to % to %', from_pos, to_pos USING ERRCODE = 'invalid_parameter_value';
  END IF;
  ALTER TABLE intent_event_default DROP CONSTRAINT IF EXISTS stray_bounds;
  EXECUTE format('ALTER TABLE intent_event_default ADD CONSTRAINT stray_bounds CHECK (pos >= %s AND pos < %s) NOT VALID',
    from_pos, to_pos);
END $$;

CREATE FUNCTION check_stray_events() RETURNS void LANGUAGE sql AS $$
  ALTER TABLE intent_event_default VALIDATE CONSTRAINT stray_bounds
$$;

CREATE FUNCTION adopt_stray_events(from_pos bigint, to_pos bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part text := 'intent_event_p' || to_pos / 50000000;
BEGIN
  PERFORM pg_advisory_xact_lock(7226409115);
  IF NOT EXISTS (
    SELECT FROM pg_constraint WHERE conrelid = 'intent_event_default'::regclass AND conname = 'stray_bounds' AND convalidated
  ) THEN
    RAISE EXCEPTION 'stray events have not been checked' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  ALTER TABLE intent_event DETACH PARTITION intent_event_default;
  EXECUTE format('ALTER TABLE intent_event_default RENAME TO %I', part);
  EXECUTE format('ALTER TRIGGER intent_event_default_no_truncate ON %I RENAME TO %I', part, part || '_no_truncate');
  EXECUTE format('ALTER TABLE intent_event ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', part, from_pos, to_pos);
  EXECUTE format('ALTER TABLE %I DROP CONSTRAINT stray_bounds', part);
  CREATE TABLE intent_event_default PARTITION OF intent_event DEFAULT;
  PERFORM protect_partition('intent_event_default');
END $$;

-- The bounds of a partition of the events that is not the default one; NULL: it is none.
CREATE FUNCTION event_partition_bounds(part text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
  WHERE inhparent = 'intent_event'::regclass AND c.relname = part AND part ~ '^intent_event_p\\d+$'
$$;

-- How full a partition's file is, from a sample of one page in a hundred.
CREATE FUNCTION measure_partition(part text, OUT bytes float8, OUT used_bytes float8) LANGUAGE plpgsql AS $$
BEGIN
  IF event_partition_bounds(part) IS NULL THEN
    RAISE EXCEPTION '% is no partition of the events', part USING ERRCODE = 'invalid_parameter_value';
  END IF;
  bytes := pg_relation_size(part::regclass);
  EXECUTE format('SELECT COALESCE(sum(pg_column_size(e.*)), 0) * 100::float8 FROM %I e TABLESAMPLE SYSTEM (1)', part)
    INTO used_bytes;
END $$;

-- Begins a copy of a partition, to be written a few pages at a time. How far it has got is the copy's comment, which
-- only the owner can write: so a copy takes the partition's place only where every page was copied.
CREATE FUNCTION begin_partition_copy(part text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  copy text := part || '_copy';
  from_pos bigint;
  to_pos bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(7226409115);
  -- Whoever adds an event holds this until that is committed: from here on nobody can add one below the last position.
  LOCK TABLE ONLY intent_event IN SHARE MODE;
  from_pos := substring(event_partition_bounds(part) FROM 'FROM \\(''?(\\d+)');
  to_pos := substring(event_partition_bounds(part) FROM 'TO \\(''?(\\d+)');
  IF to_pos IS NULL OR to_pos > (SELECT last_value FROM event_pos_seq) THEN
    RAISE EXCEPTION '% is no partition, or may get events still', part USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS %I', copy);
  EXECUTE format('CREATE TABLE %I (LIKE intent_event INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION INCLUDING INDEXES)',
    copy);
  -- Postgres knows that all rows fit, and need not look once more while others wait.
  EXECUTE format('ALTER TABLE %I ADD CONSTRAINT copy_bounds CHECK (pos IS NOT NULL AND pos < %s%s)', copy, to_pos,
    ' AND pos >= ' || from_pos);
  EXECUTE format('COMMENT ON TABLE %I IS %L', copy, '0');
END $$;

-- Copies the next pages. Returns whether that was all.
CREATE FUNCTION copy_partition_pages(part text, pages_max int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  copy text := part || '_copy';
  page bigint;
BEGIN
  IF pages_max < 1 OR event_partition_bounds(part) IS NULL OR to_regclass(copy) IS NULL THEN
    RAISE EXCEPTION 'no copy of % has been begun', part USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  -- One at a time; partitions are made ahead meanwhile.
  EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', copy);
  page := obj_description(copy::regclass, 'pg_class');
  IF page IS NULL THEN
    RAISE EXCEPTION 'no copy of % has been begun', part USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  EXECUTE format('INSERT INTO %I SELECT * FROM %I WHERE ctid >= $1 AND ctid < $2', copy, part)
    USING format('(%s,0)', page)::tid, format('(%s,0)', page + pages_max)::tid;
  EXECUTE format('COMMENT ON TABLE %I IS %L', copy, page + pages_max);
  RETURN (page + pages_max) * current_setting('block_size')::bigint >= pg_relation_size(part::regclass);
END $$;

-- What two tables have in common when they hold the same rows.
CREATE FUNCTION sum_partition_pages(part text, page bigint, pages_max int, OUT counted bigint, OUT digest text)
LANGUAGE plpgsql AS $$
BEGIN
  IF part !~ '^intent_event_p\\d+(_copy)?$' THEN
    RAISE EXCEPTION '% is no partition of the events', part USING ERRCODE = 'invalid_parameter_value';
  END IF;
  EXECUTE format('SELECT count(*), COALESCE(sum(hashtextextended(e::text, 0)), 0)::text FROM %I e WHERE ctid >= $1 AND ctid < $2',
    part) INTO counted, digest USING format('(%s,0)', page)::tid, format('(%s,0)', page + pages_max)::tid;
END $$;

-- Puts the copy in the place of its partition, or drops both where nothing is left.
CREATE FUNCTION swap_partition(part text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  copy text := part || '_copy';
  bounds text;
  has_rows boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(7226409115);
  bounds := event_partition_bounds(part);
  IF bounds IS NULL OR COALESCE(obj_description(to_regclass(copy), 'pg_class')::bigint * current_setting('block_size')::bigint
    < pg_relation_size(part::regclass), true)
  THEN
    RAISE EXCEPTION '% has not been copied whole', part USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  EXECUTE format('ALTER TABLE intent_event DETACH PARTITION %I', part);
  EXECUTE format('DROP TABLE %I', part);
  EXECUTE format('SELECT EXISTS (SELECT FROM %I)', copy) INTO has_rows;
  IF NOT has_rows THEN
    EXECUTE format('DROP TABLE %I', copy);
    RETURN;
  END IF;
  EXECUTE format('ALTER TABLE %I RENAME TO %I', copy, part);
  EXECUTE format('ALTER TABLE intent_event ATTACH PARTITION %I %s', part, bounds);
  EXECUTE format('ALTER TABLE %I DROP CONSTRAINT copy_bounds', part);
  EXECUTE format('COMMENT ON TABLE %I IS NULL', part);
  PERFORM protect_partition(part);
END $$;

-- They run as the owner of the tables, whoever of the owner's members migrates, for those whom the owner lets; and
-- whatever the caller's path is, they find our tables.
DO $$
DECLARE
  door regprocedure;
  owner regrole := (SELECT relowner FROM pg_class WHERE oid = 'intent_event'::regclass);
BEGIN
  FOREACH door IN ARRAY ARRAY[
    'make_event_partition(bigint,bigint)', 'count_stray_events(int)', 'bound_stray_events(bigint,bigint)', 'check_stray_events()',
    'adopt_stray_events(bigint,bigint)', 'measure_partition(text)', 'begin_partition_copy(text)',
    'copy_partition_pages(text,int)', 'sum_partition_pages(text,bigint,int)', 'swap_partition(text)', 'purge_covered(bigint,int)',
    'purge_forgotten(date,bigint,bigint)'
  ]::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = %I, pg_temp', door, current_schema());
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', door);
    EXECUTE format('ALTER FUNCTION %s OWNER TO %s', door, owner);
  END LOOP;
END $$;
`;
