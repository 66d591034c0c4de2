import type { Database, SqlStatement } from '#platform';

/** Erasures finished at once. */
export const finishErasuresMax = 200;

/** A member who came back meanwhile has begun anew under that key: it stays. */
const statement: SqlStatement = {
  name: 'finish_erasures',
  text: `
WITH settled AS MATERIALIZED (
  SELECT l.lane_id, e.until_seq, l.tail_seq = e.until_seq AS is_gone
  FROM erasure e JOIN lane l ON l.lane_id = e.lane_id
  WHERE l.head_seq > e.until_seq AND cardinality(l.redo) = 0
  ORDER BY l.lane_id LIMIT ${finishErasuresMax}
  FOR NO KEY UPDATE OF l SKIP LOCKED
), keys AS (
  DELETE FROM member_key k USING settled s WHERE k.lane_id = s.lane_id AND s.is_gone
), marked AS (
  UPDATE member m SET erased_seq = s.until_seq FROM settled s WHERE m.lane_id = s.lane_id AND s.is_gone
)
DELETE FROM erasure e USING settled s WHERE e.lane_id = s.lane_id`,
};

/**
 * Destroys the keys of members whose leaving has been settled with the partner.
 * @returns how many erasures came to their end; as many as `finishErasuresMax` when there may be more
 */
export async function finishErasures(database: Database): Promise<number> {
  return (await database.execute(statement)).rowCount;
}
