import type { SqlSession, SqlStatement } from '#platform';

const lockStatement: SqlStatement = { name: 'lock_lane_table', text: 'LOCK TABLE lane IN ACCESS EXCLUSIVE MODE' };
const truncateStatement: SqlStatement = { name: 'truncate_lanes', text: 'TRUNCATE lane' };

/** Removes every lane. @param check runs when nobody can touch a lane any more; throwing keeps them */
export async function clearLanes(session: SqlSession, check: () => Promise<void>): Promise<void> {
  await session.query(lockStatement);
  await check();
  await session.query(truncateStatement);
}
