/**
 * SQL: the lanes of a member in the program that is asked for, or in each: from one program to the next, as the index has them.
 * Without a program, Postgres before 18 reads the whole index for one member.
 * @param memberId a parameter @param program another one; NULL: in each
 */
export const lanesOfMember = (memberId: string, program: string): string => `WITH RECURSIVE program (id) AS (
      SELECT COALESCE(${program}, (SELECT min(program_id) FROM member))
      UNION ALL
      SELECT (SELECT min(program_id) FROM member WHERE program_id > id) FROM program WHERE id IS NOT NULL AND ${program} IS NULL
    )
    SELECT m.lane_id FROM program
    CROSS JOIN LATERAL (SELECT lane_id FROM member WHERE program_id = id AND member_id = ${memberId} OFFSET 0) m`;
