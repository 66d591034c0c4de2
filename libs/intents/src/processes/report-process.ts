import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { ProcessReport, ProgramsInForce } from './process.js';
import { processesMax, processKeptMs, processTtlMs } from './process.js';

/**
 * One round trip: says that we are there and reads what the others said. The reading part sees the table as it was before
 * the writing one.
 */
const statement: SqlStatement = {
  name: 'report_process',
  text: `
WITH here AS (
  INSERT INTO daemon_process (process_id, host, roles, started_at, heartbeat_at, programs_hash, programs_since,
    programs_problem, key_ids)
  VALUES ($1::uuid, $2, $3::text[], $4::timestamptz, $5::timestamptz, decode($6, 'hex'), $7::timestamptz, $8, $11::text[])
  ON CONFLICT (process_id) DO UPDATE SET heartbeat_at = EXCLUDED.heartbeat_at, programs_hash = EXCLUDED.programs_hash,
    programs_since = EXCLUDED.programs_since, programs_problem = EXCLUDED.programs_problem, key_ids = EXCLUDED.key_ids
), gone AS (
  DELETE FROM daemon_process WHERE process_id IN (
    SELECT process_id FROM daemon_process WHERE heartbeat_at < $9::timestamptz AND process_id <> $1::uuid
    FOR UPDATE SKIP LOCKED)
)
SELECT
  (SELECT COALESCE(json_agg(json_build_object('hash', encode(programs_hash, 'hex'),
     'since', extract(epoch FROM programs_since) * 1000)), '[]')
   FROM (SELECT programs_hash, programs_since FROM daemon_process
     WHERE process_id <> $1::uuid AND heartbeat_at > $10::timestamptz LIMIT ${processesMax}) o) AS others,
  (SELECT json_build_object('at', extract(epoch FROM at) * 1000, 'hash', encode(programs_hash, 'hex'))
   FROM programs_reload ORDER BY reload_id DESC LIMIT 1) AS reload`,
};

/** What a process learns with each report. Times in epoch ms. */
export interface ProcessesState {
  /** By what the others work that are alive. */
  readonly others: readonly ProgramsInForce[];
  /** When somebody last had the file read again, and which one was read then; null: never. */
  readonly reload: { readonly at: number; readonly hash: string } | null;
}

/** Writes this process's report and reads what the others have said, in one statement. */
export async function reportProcess(database: Database, report: ProcessReport, now: number): Promise<ProcessesState> {
  const { processId, host, roles, startedAt, programs, programsProblem, keyIds } = report;
  const { rows } = await database.execute<ProcessesState>(statement, [
    processId,
    host,
    roles,
    timestamp(startedAt),
    timestamp(now),
    programs.hash,
    timestamp(programs.since),
    programsProblem,
    timestamp(now - processKeptMs),
    timestamp(now - processTtlMs),
    keyIds,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('a report without an answer');
  return row;
}
