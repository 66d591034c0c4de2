import type { IdentityPlace } from '#intents/core';
import type { Database, SqlStatement } from '#platform';

/** An intent as people name it (contracts.md section 4: `PROGRAM~MEMBER~SEQ`). */
export interface IntentName {
  readonly program: string;
  readonly memberId: string;
  readonly seq: number;
}

const statement: SqlStatement = {
  name: 'find_intent_place',
  text: `
SELECT lane_id AS "laneId", seq FROM member JOIN intent USING (lane_id)
WHERE program_id = $1 AND member_id = $2 AND seq = $3`,
};

/** Where an intent lives; null when there is none of that name. */
export async function findIntent(database: Database, name: IntentName): Promise<IdentityPlace | null> {
  const parameters = [name.program, name.memberId, name.seq];
  return (await database.execute<IdentityPlace>(statement, parameters)).rows[0] ?? null;
}
