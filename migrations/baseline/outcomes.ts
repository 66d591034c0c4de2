/** How far readers of the events have come, and what they have counted. */
export const outcomes = `
-- How far what is published has come: outcomes by the positions of the events, audit by the numbers of the actions;
-- one process at a time reads, under a lease. pos NULL: switched off, nothing is owed.
CREATE TABLE projection_checkpoint (
  name text PRIMARY KEY,
  pos bigint,
  owner uuid,
  leased_until timestamptz
);

INSERT INTO projection_checkpoint (name, pos) VALUES ('outcomes', 0), ('audit', 0);

CREATE TABLE tally_checkpoint (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  pos bigint NOT NULL
) WITH (fillfactor = 50);

INSERT INTO tally_checkpoint (pos) VALUES (0);

-- How many intents each partition has brought: written with its batch, under the lock of the partition's offset.
CREATE TABLE intent_tally (
  topic text NOT NULL,
  partition int NOT NULL,
  program_id text NOT NULL,
  operation text NOT NULL,
  recorded bigint NOT NULL,
  PRIMARY KEY (topic, partition, program_id, operation)
) WITH (fillfactor = 50);

-- How many intents have come to their end, up to the position of tally_checkpoint: counted from the events.
CREATE TABLE settled_tally (
  program_id text NOT NULL,
  operation text NOT NULL,
  status text NOT NULL CHECK (status IN ('delivered', 'cancelled')),
  intents bigint NOT NULL,
  PRIMARY KEY (program_id, operation, status)
) WITH (fillfactor = 50);

-- program_id '': of no program; that row says, too, that somebody looked at the end of the minute (waiting is not
-- NULL). What stood then is NULL where nobody did. delivered, parked, unknown, cancelled: counted from the events,
-- with settled_tally. call_buckets, call_counts: a program's calls to the partner by how long they took, so that
-- minutes, processes and programs add up; NULL: none was told of. lag_records, lag_seconds: in the row of no
-- program, at the end of the minute; NULL: not known.
CREATE TABLE minute_tally (
  at timestamptz NOT NULL,
  program_id text NOT NULL,
  received int,
  delivered int NOT NULL DEFAULT 0,
  parked int NOT NULL DEFAULT 0,
  unknown int NOT NULL DEFAULT 0,
  cancelled int NOT NULL DEFAULT 0,
  quarantined int,
  waiting bigint,
  pending bigint,
  still_unknown bigint,
  still_parked bigint,
  call_buckets smallint[],
  call_counts int[],
  lag_records bigint,
  lag_seconds int,
  PRIMARY KEY (at, program_id)
) WITH (fillfactor = 80);

-- Up to which minute all is counted; records set aside up to quarantine_id need not be looked at for the minutes
-- that come.
CREATE TABLE minute_checkpoint (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  at timestamptz NOT NULL,
  quarantine_id bigint NOT NULL
) WITH (fillfactor = 50);

INSERT INTO minute_checkpoint (at, quarantine_id)
VALUES (date_bin('1 minute', now() - interval '1 minute', '1970-01-01T00:00:00Z'::timestamptz), 0);
`;
