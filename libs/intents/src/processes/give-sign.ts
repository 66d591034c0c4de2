import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { ProcessSign } from './process-sign.js';
import { processKeptMs } from './process-sign.js';

const statement: SqlStatement = {
  name: 'give_process_sign',
  text: `
WITH gone AS (
  DELETE FROM process WHERE process_id IN (
    SELECT process_id FROM process WHERE seen_at < $7::timestamptz AND process_id <> $1::uuid FOR UPDATE SKIP LOCKED)
)
INSERT INTO process (process_id, host, roles, programs_hash, started_at, seen_at)
VALUES ($1::uuid, $2, $3::text[], $4, $5::timestamptz, $6::timestamptz)
ON CONFLICT (process_id) DO UPDATE SET programs_hash = EXCLUDED.programs_hash, seen_at = EXCLUDED.seen_at`,
};

/** Says that a process is there, with which roles and programs file. */
export async function giveSign(database: Database, sign: ProcessSign, now: number): Promise<void> {
  const { processId, host, roles, programsHash, startedAt } = sign;
  await database.execute(statement, [
    ...[processId, host, roles, programsHash],
    ...[startedAt, now, now - processKeptMs].map(timestamp),
  ]);
}
