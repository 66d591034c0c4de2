import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the overview reads at any size (docs/decisions/0037): counts that are kept, and who is there. */
export class Overview1764000000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- How many intents each partition has brought: written with its batch, under the lock of the partition's offset.
CREATE TABLE intent_tally (
  topic text NOT NULL,
  partition int NOT NULL,
  program_id text NOT NULL,
  operation text NOT NULL,
  recorded bigint NOT NULL,
  PRIMARY KEY (topic, partition, program_id, operation)
) WITH (fillfactor = 50);
INSERT INTO intent_tally (topic, partition, program_id, operation, recorded)
SELECT topic, partition, program_id, operation, count(*) FROM intent JOIN member USING (lane_id) GROUP BY 1, 2, 3, 4;

-- How many intents have come to their end, up to the position of tally_checkpoint: counted from the events.
CREATE TABLE settled_tally (
  program_id text NOT NULL,
  operation text NOT NULL,
  status text NOT NULL CHECK (status IN ('delivered', 'cancelled')),
  intents bigint NOT NULL,
  PRIMARY KEY (program_id, operation, status)
) WITH (fillfactor = 50);
CREATE TABLE tally_checkpoint (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  pos bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO tally_checkpoint (pos) VALUES (0);

-- Counting what is in trouble, and the money in it, reads these alone.
CREATE INDEX intent_standing_open ON intent_standing (program_id, operation, status)
  INCLUDE (currency, amount_minor, lane_id, seq) WHERE status IN ('waiting', 'unknown', 'parked');
-- No lane that moves is in it, and whether one moves is written with due_at: it costs their updates nothing but a look.
CREATE INDEX lane_blocked ON lane (lane_id) WHERE state = 'blocked';
CREATE INDEX quarantine_by_reason ON quarantine (reason, quarantine_id) WHERE state = 'open';
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
