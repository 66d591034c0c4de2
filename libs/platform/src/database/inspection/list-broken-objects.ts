import type { Database, SqlStatement } from '../database.js';

const brokenObjectsMax = 20;

const statement: SqlStatement = {
  name: 'list_broken_objects',
  text: `
SELECT kind, name, "table" FROM (
  SELECT 'index' AS kind, c.relname::text AS name, i.indrelid::regclass::text AS "table"
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND NOT (i.indisvalid AND i.indisready)
  UNION ALL
  SELECT 'trigger', t.tgname::text, t.tgrelid::regclass::text
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal AND t.tgenabled IN ('D', 'R')) o
ORDER BY kind, name LIMIT ${brokenObjectsMax}`,
};

/** An index that is not used, or a trigger that does not fire. */
export interface BrokenObject {
  readonly kind: 'index' | 'trigger';
  readonly name: string;
  readonly table: string;
}

/** What in our schema exists and is of no use: the rest of an interrupted build, or switched off. */
export async function listBrokenObjects(database: Database): Promise<readonly BrokenObject[]> {
  return (await database.execute<BrokenObject>(statement)).rows;
}
