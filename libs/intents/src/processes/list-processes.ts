import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { ProcessSign } from './process-sign.js';
import { processesMax, processGoneMs } from './process-sign.js';

const statement: SqlStatement = {
  name: 'list_processes',
  text: `
SELECT process_id AS "processId", host, roles, programs_hash AS "programsHash", started_at AS "startedAt",
  seen_at AS "seenAt"
FROM process WHERE seen_at > $1::timestamptz ORDER BY started_at, process_id LIMIT ${processesMax}`,
};

/** A process that is there. */
export interface LivingProcess extends ProcessSign {
  /** When it last gave a sign, epoch ms. */
  readonly seenAt: number;
}

/** Every process of this database that has given a sign lately, the oldest first. */
export async function listProcesses(database: Database, now: number): Promise<LivingProcess[]> {
  return (await database.execute<LivingProcess>(statement, [timestamp(now - processGoneMs)])).rows;
}
