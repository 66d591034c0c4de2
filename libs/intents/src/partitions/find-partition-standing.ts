import type { Database, SqlStatement } from '#platform';

import type { PartitionStanding } from './partition-plan.js';

/** The bounds are kept as text, such as `FOR VALUES FROM ('50000000') TO ('100000000')`. */
const statement: SqlStatement = {
  name: 'find_partition_standing',
  text: `
SELECT COALESCE((SELECT max((substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''?(\\d+)'))::bigint)
    FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'intent_event'::regclass), 0) AS "end",
  (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_pos_seq) AS "lastPosition",
  EXISTS (SELECT FROM intent_event_default) AS "hasStrays"`,
};

/** How far partitions of `intent_event` reach, and how far they are used. */
export async function findPartitionStanding(database: Database): Promise<PartitionStanding> {
  const { rows } = await database.execute<PartitionStanding>(statement);
  const [standing] = rows;
  if (standing === undefined) throw new Error('the partitions of intent_event could not be read');
  return standing;
}
