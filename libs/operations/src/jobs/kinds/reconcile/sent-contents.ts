import type { Operation, SentContent } from '#intents/core';
import type { MatchedMember, MemberKeys } from '#intents';
import { lastCorrectionOf, openCurrent, operationList } from '#intents';
import type { Database, SqlStatement } from '#platform';
import { SealBrokenError } from '#platform';

/** How far one looks back in each lane: what was sent before is taken for unknown. */
const sentHistoryMax = 32;

/**
 * The last intents of lanes at rest, their content only where it changes the pass. Settled without a standing of its own
 * means delivered.
 */
const statement: SqlStatement = {
  name: 'load_sent_contents',
  text: `
SELECT l.lane_id AS "laneId", i.seq, i.operation, COALESCE(s.status, 'delivered') AS status,
  CASE WHEN i.operation IN (${operationList('makes', 'changes')}) THEN i.payload END AS payload,
  c.correction, c.correction_version AS "correctionVersion",
  (SELECT max(e.at) FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq) AS "lastAt", a."leftAt"
FROM unnest($1::bigint[]) AS w (lane_id)
JOIN lane l ON l.lane_id = w.lane_id AND l.cur_seq > l.tail_seq
JOIN member m ON m.lane_id = l.lane_id
JOIN LATERAL (
  SELECT * FROM intent WHERE intent.lane_id = l.lane_id AND intent.seq > l.tail_seq - ${sentHistoryMax}
    AND intent.seq > m.erased_seq
) i ON true
LEFT JOIN LATERAL (
  SELECT b.ended_before AS "leftAt" FROM lane_start b
  WHERE b.lane_id = l.lane_id AND EXISTS (
    SELECT FROM generate_series(GREATEST(l.tail_seq - ${sentHistoryMax}, m.erased_seq, 0) + 1, b.tail_seq) AS passed (seq)
    WHERE NOT EXISTS (SELECT FROM intent o WHERE o.lane_id = l.lane_id AND o.seq = passed.seq))
) a ON true
LEFT JOIN LATERAL ${lastCorrectionOf('i')} c ON true
LEFT JOIN intent_standing s ON s.lane_id = i.lane_id AND s.seq = i.seq
ORDER BY l.lane_id, i.seq`,
};

interface Row {
  readonly laneId: number;
  readonly seq: number;
  readonly operation: Operation;
  readonly status: string;
  readonly payload: Buffer | null;
  readonly correction: Buffer | null;
  readonly correctionVersion: number | null;
  readonly lastAt: number | null;
  /** Something that was sent before has left this stretch of the lane; null: nothing has. */
  readonly leftAt: number | null;
}

/** What a lane at rest has sent last. */
export interface SentHistory {
  /** In the order in which it took effect. Personal. */
  readonly sent: readonly SentContent[];
  /** When something last happened to any of it, epoch ms. */
  readonly lastAt: number;
}

function commandOf(row: Row, key: Uint8Array, keys: MemberKeys): SentContent['command'] {
  const { laneId, seq, payload, correction, correctionVersion } = row;
  if (payload === null) return null;
  const place = { laneId, seq, key };
  try {
    return openCurrent(keys, place, { payload, correction, correctionVersion });
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}

/** What left took effect before then, and may have changed anything: what was known until then is known no more. */
const unknownContent: SentContent = { operation: 'update-via-workflow', certainty: 'unsure', command: null };

function withHole(inOrder: readonly Row[], sent: readonly SentContent[]): SentContent[] {
  const leftAt = inOrder[0]?.leftAt ?? null;
  if (leftAt === null) return [...sent];
  const known = inOrder.filter(({ lastAt }) => (lastAt ?? 0) <= leftAt).length;
  return [...sent.slice(0, known), unknownContent, ...sent.slice(known)];
}

function certaintyOf(status: string): SentContent['certainty'] {
  if (status === 'delivered') return 'sent';
  return status === 'cancelled' ? 'not-sent' : 'unsure';
}

/** What was last sent for members whose lanes are at rest, by lane; nothing for the others. */
export async function loadSentContents(
  database: Pick<Database, 'execute'>,
  members: readonly Pick<MatchedMember, 'laneId' | 'key'>[],
  keys: MemberKeys,
): Promise<Map<number, SentHistory>> {
  if (members.length === 0) return new Map();
  const keyOf = new Map(members.map(({ laneId, key }) => [laneId, key]));
  const { rows } = await database.execute<Row>(statement, [members.map(({ laneId }) => laneId)]);
  const histories = new Map<number, SentHistory>();
  for (const [laneId, own] of Map.groupBy(rows, (row) => row.laneId)) {
    const key = keyOf.get(laneId) ?? null;
    if (key === null) continue;
    // Something that was put back took effect after what comes behind it in the lane.
    const inOrder = own.toSorted((one, other) => (one.lastAt ?? 0) - (other.lastAt ?? 0) || one.seq - other.seq);
    const sent = inOrder.map((row) => ({
      operation: row.operation,
      certainty: certaintyOf(row.status),
      command: commandOf(row, key, keys),
    }));
    histories.set(laneId, { sent: withHole(inOrder, sent), lastAt: inOrder.at(-1)?.lastAt ?? 0 });
  }
  return histories;
}
