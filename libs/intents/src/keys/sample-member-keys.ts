import type { Database, SqlStatement } from '#platform';
import { SealBrokenError } from '#platform';

import type { MemberKeys } from './member-keys.js';

/** From each end: a key that went missing with a rotation took the oldest or the newest with it. */
const sampledFromEachEndMax = 200;

const statement: SqlStatement = {
  name: 'sample_member_keys',
  text: `
(SELECT lane_id AS "laneId", wrapped_key AS wrapped FROM member_key ORDER BY lane_id LIMIT ${sampledFromEachEndMax})
UNION
(SELECT lane_id, wrapped_key FROM member_key ORDER BY lane_id DESC LIMIT ${sampledFromEachEndMax})`,
};

/** How many members' keys were tried, and how many of them no master key opens. */
export interface SampledKeys {
  readonly tried: number;
  readonly unopened: number;
}

function opens(keys: MemberKeys, { laneId, wrapped }: { readonly laneId: number; readonly wrapped: Buffer }): boolean {
  try {
    keys.learn(laneId, wrapped);
    return true;
  } catch (error) {
    if (error instanceof SealBrokenError) return false;
    throw error;
  }
}

/** Tries the keys of the oldest and the newest members: all of them would be millions. */
export async function sampleMemberKeys(database: Database, keys: MemberKeys): Promise<SampledKeys> {
  const { rows } = await database.execute<{ laneId: number; wrapped: Buffer }>(statement);
  return { tried: rows.length, unopened: rows.filter((row) => !opens(keys, row)).length };
}
