/** The installation, its processes, the programs it has loaded, and what migrations say to other versions. */
export const installation = `
-- One row: which partner this database belongs to (as soon as a process that talks to it has started), and the keys
-- that must survive a rotation of the master key.
CREATE TABLE installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  partner_base_url text,
  partner_environment text,
  wrapped_mac_key bytea NOT NULL,
  wrapped_quarantine_key bytea NOT NULL,
  created_at timestamptz NOT NULL
);

-- On which server this database may record and send, since which epoch (docs/decisions/0255). A copy of it elsewhere does
-- neither until somebody gives it the epoch: \`loyaltyd own\`. leaving: nothing is begun any more; released: and
-- nothing is under way, so that a copy from now on may be given it. shop, partition_count, partitions: of a shard, which of
-- how many partitions of every topic are its own; NULL: all of them are.
CREATE TABLE ownership (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch bigint NOT NULL,
  place text NOT NULL,
  state text NOT NULL CHECK (state IN ('held', 'leaving', 'released')),
  since timestamptz NOT NULL,
  shop text,
  partition_count int,
  partitions int[],
  CHECK (num_nulls(shop, partition_count, partitions) IN (0, 3))
);

-- The server's own number and this database's there. A session stays on its server: it is asked once, for it reads a file.
CREATE FUNCTION database_place() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE known text := current_setting('loyaltyd.place', true);
BEGIN
  IF known <> '' THEN RETURN known; END IF;
  BEGIN
    SELECT system_identifier::text INTO known FROM pg_control_system();
  EXCEPTION WHEN undefined_function OR insufficient_privilege OR feature_not_supported THEN
    known := 'unknown';
  END;
  known := known || '/' || (SELECT oid FROM pg_database WHERE datname = current_database());
  PERFORM set_config('loyaltyd.place', known, false);
  RETURN known;
END $$;

CREATE FUNCTION is_fenced() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM ownership WHERE state <> 'held' OR place <> database_place());
END $$;

-- As a server answers that another one has taken over from: who records waits.
CREATE FUNCTION require_ownership(wanted int[]) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF is_fenced() OR EXISTS (SELECT FROM ownership WHERE NOT wanted <@ partitions) THEN
    RAISE EXCEPTION 'this database may not record: see loyaltyd own' USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  RETURN true;
END $$;

-- serves: schema version of the oldest program that works beside this migration; 0: whatever worked before does.
CREATE TABLE schema_mark (
  migration text PRIMARY KEY,
  serves bigint NOT NULL
);

-- recovered_from: the moment that was restored; everything after it is forgotten. started_at: when the first process
-- began on what was restored. produced_until: records with a later broker timestamp cannot have been consumed
-- before.
CREATE TABLE recovery (
  recovered_from timestamptz PRIMARY KEY,
  started_at timestamptz NOT NULL,
  produced_until timestamptz NOT NULL
);

-- One row per delivering process, written every half second; programs: those it works on, with since when.
CREATE TABLE replica (
  replica_id uuid PRIMARY KEY,
  started_at timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL,
  programs jsonb NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- One row per process of the daemon, whatever its roles, written every two seconds. programs_since: since when it
-- works by that file. programs_problem: why it did not take over the one that it read last. key_ids: the first bytes
-- of the digests of the keys of LOYALTYD_ENCRYPTION_KEY, hex, in their order; they tell nothing of the keys.
CREATE TABLE daemon_process (
  process_id uuid PRIMARY KEY,
  host text NOT NULL,
  roles text[] NOT NULL,
  started_at timestamptz NOT NULL,
  heartbeat_at timestamptz NOT NULL,
  programs_hash bytea NOT NULL,
  programs_since timestamptz NOT NULL,
  programs_problem text,
  key_ids text[] NOT NULL DEFAULT '{}',
  figures jsonb
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- content: JSON with every default, NULL of an older file that is too large to be kept. actor, reason: NULL where nobody
-- asked for it. accepted: dangerous changes that an admin has accepted with it. refused: why it never came into
-- force; NULL: it did.
CREATE TABLE programs_load (
  load_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  programs_hash bytea NOT NULL,
  host text NOT NULL,
  content text,
  actor text,
  reason text,
  accepted text[] NOT NULL,
  refused text[]
);

-- A program that has become another one of the partner's: the cards of its lanes up to done_lane_id are forgotten, by
-- whichever process is free; gone when all are. Nothing of it is sent until then.
CREATE TABLE program_move (
  program_id text PRIMARY KEY,
  at timestamptz NOT NULL,
  done_lane_id bigint NOT NULL DEFAULT 0
);

-- Somebody had one process read the programs file again: the others follow until they work by the same.
CREATE TABLE programs_reload (
  reload_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  programs_hash bytea NOT NULL
);
`;
