import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'find_member',
  text: 'SELECT lane_id AS "laneId" FROM member WHERE program_id = $1 AND member_id = $2',
};

/** Whose lane it is; null where there is no member of that name. An erased member is still one. */
export async function findMember(
  database: Database,
  { program, memberId }: { readonly program: string; readonly memberId: string },
): Promise<{ readonly laneId: number } | null> {
  return (await database.execute<{ laneId: number }>(statement, [program, memberId])).rows[0] ?? null;
}
