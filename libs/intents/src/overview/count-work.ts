import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'count_work',
  text: `
SELECT
  (SELECT count(*) FROM lane WHERE cur_seq <= tail_seq AND state <> 'blocked') AS "openLanes",
  (SELECT count(*) FROM lane WHERE state = 'blocked') AS "blockedLanes",
  (SELECT count(*) FROM quarantine WHERE state = 'open') AS quarantined`,
};

export interface WorkCounts {
  /** Lanes in which something will still happen by itself. */
  readonly openLanes: number;
  /** Lanes that a parked intent holds until a person has looked. */
  readonly blockedLanes: number;
  /** Records set aside that nobody has dealt with. */
  readonly quarantined: number;
}

/** What is still on its way, and what a person must look at. */
export async function countWork(database: Database): Promise<WorkCounts> {
  const { rows } = await database.execute<WorkCounts>(statement);
  return rows[0] ?? { openLanes: 0, blockedLanes: 0, quarantined: 0 };
}
