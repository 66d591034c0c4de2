import type { Database } from '#platform';
import { type PassSelection, selectionSql } from '../passes/pass-condition.js';
import { statement } from '../store/statement.js';

/** How many passes a selection holds. */
export async function countPasses(database: Database, selection: PassSelection): Promise<number> {
  const { suffix, where, parameters } = selectionSql(selection);
  const countStatement = statement(
    `count_passes_${suffix}`,
    `SELECT count(*) AS "totalCount" FROM wallet_sandbox.pass p WHERE ${where}`,
  );
  const { rows } = await database.execute<{ readonly totalCount: number }>(countStatement, parameters);
  return rows[0]?.totalCount ?? 0;
}
