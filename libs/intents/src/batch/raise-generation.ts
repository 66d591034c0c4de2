import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'raise_generation',
  text: 'UPDATE member SET generation = generation + 1 WHERE lane_id = $1 RETURNING generation',
};

/** The member left the program: the next enrolment is a new one. @returns the new generation */
export async function raiseGeneration(session: SqlSession, laneId: number): Promise<number> {
  const { rows } = await session.query<{ generation: number }>(statement, [laneId]);
  return rows[0]?.generation ?? 1;
}
