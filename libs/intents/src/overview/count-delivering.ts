import type { Operation } from '#domain';
import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Lanes looked at per program. A lease ends soon, so that what is held comes early among what is due later. */
export const heldLanesLookMax = 4_000;

const statement: SqlStatement = {
  name: 'count_delivering',
  text: `
SELECT p.program_id AS program, i.operation, count(*) AS intents
FROM (SELECT DISTINCT program_id FROM intent_tally) p
CROSS JOIN LATERAL (
  SELECT lane_id, cur_seq, attempt_open FROM lane
  WHERE lane.program_id = p.program_id AND due_at > $1::timestamptz
  ORDER BY due_at LIMIT ${heldLanesLookMax}) l
CROSS JOIN LATERAL (
  SELECT operation FROM intent WHERE intent.lane_id = l.lane_id AND intent.seq = l.cur_seq OFFSET 0) i
WHERE l.attempt_open
GROUP BY 1, 2 ORDER BY 1, 2`,
};

/** How many intents of a program and operation are being delivered. */
export interface DeliveringCount {
  readonly program: string;
  readonly operation: Operation;
  readonly intents: number;
}

/** What is under way now; beyond `heldLanesLookMax` lanes of a program not all of it. */
export async function countDelivering(database: Database, now: number): Promise<DeliveringCount[]> {
  return (await database.execute<DeliveringCount>(statement, [timestamp(now)])).rows;
}
