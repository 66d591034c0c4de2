import type { Database, SqlStatement } from '#platform';

import { eventTypes, operationList, typeList } from '../events/transition-sql.js';
import type { FeedName } from '../feeds/feed-checkpoint.js';
import type { FeedSource, FeedWindow } from '../feeds/topic-feed.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { Outcome, OutcomeRow } from './outcome.js';
import { toOutcomes } from './outcome.js';

/** Events looked through at once; about half of them are outcomes. */
export const outcomeWindowMax = 1_000;

const windowStatement: SqlStatement = {
  name: 'outcome_window',
  text: `
SELECT max(pos) AS upto, count(*)::int AS events
FROM (SELECT pos FROM intent_event WHERE pos > $1 AND pos <= $2 ORDER BY pos LIMIT ${outcomeWindowMax}) w`,
};

/** They deliver or park an intent; the others may show a pass. */
const endEvents = eventTypes(({ status }) => (status === 'delivered' || status === 'parked' ? status : null));

/**
 * Evidence is read only where it may hold the member's pass, and an answer in doubt may show another member's: 16 KiB each would be too much for every sale. The limit and OFFSET 0 keep
 * the planner on the indexes: it knows neither position, and would read all members for what it takes to be a part of all
 * events.
 */
export const outcomeRowsStatement: SqlStatement = {
  name: 'outcome_rows',
  text: `
WITH looked AS MATERIALIZED (
  SELECT pos, lane_id, seq, version, attempt, epoch, type, at, data, sealed FROM intent_event
  WHERE pos > $1::bigint AND pos <= $2::bigint
    AND type IN (${typeList(endEvents)}, 'LateOutcome', 'PassFound', 'PassAdopted')
  ORDER BY pos LIMIT ${outcomeWindowMax}
)
SELECT e.lane_id, e.seq, e.version, e.attempt, e.epoch, e.type, e.at, e.data,
  CASE WHEN e.type IN ('PassFound', 'PassAdopted') OR (i.operation IN (${operationList('makes')})
    AND (e.type IN ('AttemptApplied', 'VerifiedApplied') OR e.type = 'LateOutcome' AND e.data->>'outcome' = 'applied'))
    THEN e.sealed END AS sealed,
  i.operation, i.purchase_id, i.topic, i.partition, i.kafka_offset, m.program_id, m.member_id,
  k.wrapped_key, GREATEST(m.erased_seq, r.until_seq) AS erased_seq,
  (SELECT max(c.started_at) FROM recovery c WHERE c.started_at <= e.at) AS history,
  (SELECT count(*)::int FROM recovery c WHERE c.started_at <= e.at) AS recoveries
FROM looked e
LEFT JOIN LATERAL (
  SELECT operation, purchase_id, topic, partition, kafka_offset FROM intent
  WHERE intent.lane_id = e.lane_id AND intent.seq = e.seq OFFSET 0) i ON true
CROSS JOIN LATERAL (SELECT program_id, member_id, erased_seq FROM member WHERE member.lane_id = e.lane_id OFFSET 0) m
LEFT JOIN LATERAL (SELECT wrapped_key FROM member_key WHERE member_key.lane_id = e.lane_id OFFSET 0) k ON true
LEFT JOIN LATERAL (SELECT until_seq FROM erasure WHERE erasure.lane_id = e.lane_id OFFSET 0) r ON true
ORDER BY e.pos`,
};

/** Outcomes follow the events of all intents: within a lane in the order in which they happened. */
export const outcomesFeed: FeedName = { name: 'outcomes', sequence: 'event_pos_seq' };

/** @throws {DatabaseError} and `MasterKeyMissingError`, where an operator can bring the key back */
async function loadOutcomes(
  database: Database,
  { from, final }: { readonly from: number; readonly final: number },
  keys: MemberKeys,
): Promise<FeedWindow<Outcome>> {
  const { rows } = await database.execute<{ upto: number | null; events: number }>(windowStatement, [from, final]);
  const { upto = null, events = 0 } = rows[0] ?? {};
  if (upto === null) return { items: [], upto: final };
  const found = await database.execute<OutcomeRow>(outcomeRowsStatement, [from, upto]);
  const items = found.rows.flatMap((row) => toOutcomes(row, keys));
  return { items, upto: events < outcomeWindowMax ? final : upto };
}

/** What the outside may know of the intents, with its pass where the evidence shows one. */
export function outcomeSource(keys: MemberKeys): FeedSource<Outcome> {
  return { ...outcomesFeed, load: (database, range) => loadOutcomes(database, range, keys) };
}
