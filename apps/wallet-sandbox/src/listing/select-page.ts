import type { Database } from '#platform';
import type { Pass } from '../passes/pass.js';
import { passColumns } from '../passes/pass-columns.js';
import { type PassSelection, selectionSql } from '../passes/pass-condition.js';
import { statement } from '../store/statement.js';

interface PageRequest {
  readonly selection: PassSelection;
  readonly limit: number;
  readonly offset: number;
}

interface Page {
  readonly passes: readonly Pass[];
  readonly totalCount: number;
}

/** A row of the count, beside a pass or, when the page is empty, alone. */
type PageRow = (Pass | { readonly passId: null }) & { readonly totalCount: number };

/** One page of a selection in order of pass id, and the size of the whole, both of one moment. */
export async function selectPage(database: Database, { selection, limit, offset }: PageRequest): Promise<Page> {
  const { suffix, where, parameters } = selectionSql(selection);
  const [limitAt, offsetAt] = [parameters.length + 1, parameters.length + 2];
  const pageStatement = statement(
    `select_page_${suffix}`,
    `WITH counted AS (SELECT count(*) AS "totalCount" FROM wallet_sandbox.pass p WHERE ${where})
     SELECT counted."totalCount", page.* FROM counted LEFT JOIN (
       SELECT ${passColumns} FROM wallet_sandbox.pass p WHERE ${where}
       ORDER BY p.pass_id LIMIT $${limitAt} OFFSET $${offsetAt}
     ) AS page ON true
     ORDER BY page."passId"`,
  );
  const { rows } = await database.execute<PageRow>(pageStatement, [...parameters, limit, offset]);
  return { passes: rows.filter((row) => row.passId !== null), totalCount: rows[0]?.totalCount ?? 0 };
}
