import type { Database, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Pages of the table looked through in one statement: 8 MiB. */
const pagesMax = 1_000;

const sizeStatement: SqlStatement = {
  name: 'measure_dedup',
  text: `SELECT pg_relation_size('dedup') / current_setting('block_size')::bigint AS pages`,
};

const purgeStatement: SqlStatement = {
  name: 'purge_forgotten',
  text: 'SELECT purge_forgotten(($1::timestamptz)::date, $2, $3) AS gone',
};

/** Forgets identities that were seen before a day and of which no intent is left. @returns how many */
export async function forgetIdentities(
  database: Database,
  before: number,
  stillOurs: () => Promise<void>,
): Promise<number> {
  const pages = (await database.execute<{ pages: number }>(sizeStatement)).rows[0]?.pages ?? 0;
  let forgotten = 0;
  for (let page = 0; page < pages; page += pagesMax) {
    await stillOurs();
    const { rows } = await database.execute<{ gone: number }>(purgeStatement, [
      timestamp(before),
      page,
      page + pagesMax,
    ]);
    forgotten += rows[0]?.gone ?? 0;
  }
  return forgotten;
}
