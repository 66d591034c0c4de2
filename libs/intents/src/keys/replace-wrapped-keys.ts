import type { Database, SqlStatement } from '#platform';

import type { WrappedKey } from './list-wrapped-keys.js';

/** A key, and the same key wrapped anew. */
export interface RewrappedKey extends WrappedKey {
  readonly rewrapped: Buffer;
}

/**
 * Rows are locked in their order, as everywhere. What was changed since it was read stays as it is: an erased member's key
 * has gone, and one that came back has another.
 */
const statement: SqlStatement = {
  name: 'replace_wrapped_keys',
  text: `
WITH sent AS MATERIALIZED (
  SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS s(lane_id, wrapped, rewrapped)
), locked AS MATERIALIZED (
  SELECT k.lane_id FROM member_key k WHERE k.lane_id = ANY ($1::bigint[]) ORDER BY k.lane_id FOR NO KEY UPDATE
)
UPDATE member_key k SET wrapped_key = s.rewrapped FROM sent s JOIN locked USING (lane_id)
WHERE k.lane_id = s.lane_id AND k.wrapped_key = s.wrapped`,
};

/** @returns how many were replaced */
export async function replaceWrappedKeys(database: Database, keys: readonly RewrappedKey[]): Promise<number> {
  if (keys.length === 0) return 0;
  const { rowCount } = await database.execute(statement, [
    keys.map(({ laneId }) => laneId),
    keys.map(({ wrapped }) => wrapped),
    keys.map(({ rewrapped }) => rewrapped),
  ]);
  return rowCount;
}
