import type { Database, SqlSession } from '#platform';

/** Single statements, carried out within a transaction. */
export function within(session: SqlSession): Pick<Database, 'execute'> {
  return { execute: (statement, parameters) => session.query(statement, parameters) };
}
