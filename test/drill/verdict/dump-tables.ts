import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

import pg from 'pg';

import { withClient } from '#test-support';

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
  await withClient(url, async (client) => {
    const { rows } = await client.query<Table>(tablesText);
    for (const table of rows) await dumpTable(client, table, join(folder, `${table.name}.jsonl`));
  });
}
