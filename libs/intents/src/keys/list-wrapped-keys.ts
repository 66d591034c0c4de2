import type { Database, SqlStatement } from '#platform';

/** Keys of one page. */
export const wrappedKeysMax = 1_000;

/** A member's key as it is stored. */
export interface WrappedKey {
  readonly laneId: number;
  readonly wrapped: Buffer;
}

const statement: SqlStatement = {
  name: 'list_wrapped_keys',
  text: `
SELECT lane_id AS "laneId", wrapped_key AS wrapped FROM member_key WHERE lane_id > $1::bigint
ORDER BY lane_id LIMIT ${wrappedKeysMax}`,
};

/** A page of members' keys behind a lane, by lane; empty at the end. */
export async function listWrappedKeys(database: Database, after: number): Promise<readonly WrappedKey[]> {
  return (await database.execute<WrappedKey>(statement, [after])).rows;
}
