import type { Database, SqlStatement } from '#platform';

import type { OutcomeRow } from './outcome-row.js';

/** Events looked through at once; about half of them are outcomes. */
export const outcomeWindowMax = 1_000;

const windowStatement: SqlStatement = {
  name: 'outcome_window',
  text: `
SELECT max(pos) AS upto, count(*)::int AS events
FROM (SELECT pos FROM intent_event WHERE pos > $1 AND pos <= $2 ORDER BY pos LIMIT ${outcomeWindowMax}) w`,
};

/**
 * Evidence is read only where it may hold the member's pass, and an answer in doubt may show another member's: 16 KiB each would be too much for every sale. The limit and OFFSET 0 keep
 * the planner on the indexes: it knows neither position, and would read all members for what it takes to be a part of all
 * events.
 */
export const outcomeRowsStatement: SqlStatement = {
  name: 'outcome_rows',
  text: `
WITH looked AS MATERIALIZED (
  SELECT pos, lane_id, seq, version, type, at, data, sealed FROM intent_event
  WHERE pos > $1::bigint AND pos <= $2::bigint
    AND type IN ('AttemptApplied', 'VerifiedApplied', 'IntentResolved', 'IntentParked', 'LateOutcome', 'PassFound',
      'PassAdopted')
  ORDER BY pos LIMIT ${outcomeWindowMax}
)
SELECT e.lane_id, e.seq, e.version, e.type, e.at, e.data,
  CASE WHEN e.type IN ('PassFound', 'PassAdopted') OR (i.operation IN ('issue', 'issue-via-workflow')
    AND (e.type IN ('AttemptApplied', 'VerifiedApplied') OR e.type = 'LateOutcome' AND e.data->>'outcome' = 'applied'))
    THEN e.sealed END AS sealed,
  i.operation, i.purchase_id, i.topic, i.partition, i.kafka_offset, m.program_id, m.member_id,
  k.wrapped_key, GREATEST(m.erased_seq, r.until_seq) AS erased_seq,
  (SELECT max(c.started_at) FROM recovery c WHERE c.started_at <= e.at) AS history
FROM looked e
LEFT JOIN LATERAL (
  SELECT operation, purchase_id, topic, partition, kafka_offset FROM intent
  WHERE intent.lane_id = e.lane_id AND intent.seq = e.seq OFFSET 0) i ON true
CROSS JOIN LATERAL (SELECT program_id, member_id, erased_seq FROM member WHERE member.lane_id = e.lane_id OFFSET 0) m
LEFT JOIN LATERAL (SELECT wrapped_key FROM member_key WHERE member_key.lane_id = e.lane_id OFFSET 0) k ON true
LEFT JOIN LATERAL (SELECT until_seq FROM erasure WHERE erasure.lane_id = e.lane_id OFFSET 0) r ON true
ORDER BY e.pos`,
};

/** Outcomes in the order of their positions: within a lane that is the order in which they happened. */
export interface OutcomeWindow {
  readonly rows: readonly OutcomeRow[];
  /** Everything up to here has been looked through. */
  readonly upto: number;
}

/** The next events after `from`, at most up to `final`, a position below which nothing can appear any more. */
export async function loadOutcomeRows(
  database: Database,
  range: { readonly from: number; readonly final: number },
): Promise<OutcomeWindow> {
  const { rows } = await database.execute<{ upto: number | null; events: number }>(windowStatement, [
    range.from,
    range.final,
  ]);
  const { upto = null, events = 0 } = rows[0] ?? {};
  if (upto === null) return { rows: [], upto: range.final };
  const found = await database.execute<OutcomeRow>(outcomeRowsStatement, [range.from, upto]);
  return { rows: found.rows, upto: events < outcomeWindowMax ? range.final : upto };
}
