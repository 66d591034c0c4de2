import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'find_oldest_unknown',
  text: `
SELECT program_id AS program, min(since) AS since FROM intent_standing WHERE status = 'unknown' GROUP BY 1 ORDER BY 1`,
};

/** Since when a program has had an intent of which nobody knows whether it took effect. */
export interface OldestUnknown {
  readonly program: string;
  /** Epoch ms. */
  readonly since: number;
}

/** Those that are still being resolved, not what is parked; programs without any are left out. */
export async function findOldestUnknown(database: Database): Promise<OldestUnknown[]> {
  return (await database.execute<OldestUnknown>(statement)).rows;
}
