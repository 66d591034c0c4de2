import type { Client } from 'pg';

import type { ClearText } from '../history/run-history.js';

/** Columns that hold text of ours or others' in the clear. Names of members, stores and purchases are meant to be there. */
const clearColumns = [
  ['intent_event', 'data'],
  ['quarantine', 'detail'],
  ['pause', 'reason'],
  ['replica', 'programs'],
  ['source_gap', 'accepted_reason'],
] as const;

const foundMax = 20;

/** What the tables show of these secrets: only rows that show one, so that little is read. */
export async function readClearTexts(client: Client, secrets: readonly string[]): Promise<ClearText[]> {
  const found: ClearText[] = [];
  if (secrets.length === 0) return found;
  for (const [table, column] of clearColumns) {
    const { rows } = await client.query<{ text: string }>(
      `SELECT ${column}::text AS text FROM ${table}
       WHERE EXISTS (SELECT FROM unnest($1::text[]) s WHERE strpos(${column}::text, s) > 0) LIMIT ${foundMax}`,
      [secrets],
    );
    found.push(...rows.map(({ text }) => ({ where: `${table}.${column}`, text })));
  }
  return found;
}
