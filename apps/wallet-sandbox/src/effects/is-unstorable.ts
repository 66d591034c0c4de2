import { DatabaseError } from '#platform';

/**
 * SQLSTATE class 22, data exception, and 54, limit exceeded (a key too long for an index): raised before the commit, so
 * nothing of the transaction has happened.
 */
export function isUnstorable(error: unknown): boolean {
  return error instanceof DatabaseError && /^(22|54)/.test(error.sqlState ?? '');
}
