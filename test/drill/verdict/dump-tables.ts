import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

import pg from 'pg';

/** Runs one query on a connection of its own. */
export async function runSql<Row extends object>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed under the query says so by the query's own error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const rowsPerFetch = 5_000;

const tablesText = `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
  WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
    AND table_name NOT LIKE 'intent_event_%' ORDER BY 1, 2`;

interface Table {
  readonly schema: string;
  readonly name: string;
}

async function dumpTable(client: pg.Client, { schema, name }: Table, file: string): Promise<void> {
  const stream = createWriteStream(file);
  const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
  await client.query('BEGIN');
  await client.query(`DECLARE rows CURSOR FOR SELECT to_jsonb(t)::text AS row FROM ${table} t`);
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${rowsPerFetch} FROM rows`);
    if (rows.length === 0) break;
    stream.write(`${rows.map(({ row }) => row).join('\n')}\n`);
  }
  await client.query('COMMIT');
  stream.end();
  await finished(stream);
}

/** Writes every table of a database into `folder`, one file each, one row a line as JSON. */
export async function dumpTables(url: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Table>(tablesText);
    for (const table of rows) await dumpTable(client, table, join(folder, `${table.name}.jsonl`));
  } finally {
    await client.end();
  }
}
