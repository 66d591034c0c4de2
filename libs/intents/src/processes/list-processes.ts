import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { ListedProcess } from './process.js';
import { processesMax, processTtlMs } from './process.js';

const statement: SqlStatement = {
  name: 'list_processes',
  text: `
SELECT process_id AS "processId", host, roles, started_at AS "startedAt", heartbeat_at AS "heartbeatAt",
  heartbeat_at > $1::timestamptz AS "isAlive", encode(programs_hash, 'hex') AS hash, programs_since AS since,
  programs_problem AS "programsProblem", key_ids AS "keyIds"
FROM daemon_process ORDER BY started_at, process_id LIMIT ${processesMax}`,
};

type Row = Omit<ListedProcess, 'programs'> & ListedProcess['programs'];

/** Every process, the oldest first; those that went without a word are among them for ten minutes. */
export async function listProcesses(database: Database, now: number): Promise<readonly ListedProcess[]> {
  const { rows } = await database.execute<Row>(statement, [timestamp(now - processTtlMs)]);
  return rows.map(({ hash, since, ...rest }) => ({ ...rest, programs: { hash, since } }));
}
