import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happened over time (decision 0197): intents by minute. */
export class Minutes1796600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- program_id '': of no program; that row says, too, that somebody looked at the end of the minute (waiting is not NULL). What
-- stood then is NULL where nobody did. delivered, parked, unknown, cancelled: counted from the events, with settled_tally.
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
  PRIMARY KEY (at, program_id)
) WITH (fillfactor = 80);

-- Up to which minute all is counted; records set aside up to quarantine_id need not be looked at for the minutes that come.
CREATE TABLE minute_checkpoint (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  at timestamptz NOT NULL,
  quarantine_id bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO minute_checkpoint (at, quarantine_id)
SELECT date_bin('1 minute', now() - interval '1 minute', '1970-01-01T00:00:00Z'::timestamptz),
  COALESCE((SELECT max(quarantine_id) FROM quarantine), 0);
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
