import type { DatabaseError } from '#platform';

/**
 * SQLSTATE classes that speak of the data sent: data exception, integrity constraint, program limit exceeded. Others
 * that will not pass either (a missing table, a missing right) speak of the installation: no record is to blame, and
 * setting all of them aside one by one would help nobody.
 */
const contentClasses = new Set(['22', '23', '54']);

/** Whether the database refused these very records. */
export function isContentFailure({ kind, sqlState }: DatabaseError): boolean {
  return kind === 'failed' && (sqlState === null || contentClasses.has(sqlState.slice(0, 2)));
}

/** Names the stage and code at which recording failed, never a value. */
export function describeDatabaseFailure({ operation, sqlState }: DatabaseError): string {
  return `record: ${operation} failed${sqlState === null ? '' : ` (${sqlState})`}`;
}
