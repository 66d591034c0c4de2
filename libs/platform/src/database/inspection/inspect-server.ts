import type { Database, SqlStatement } from '../database.js';

const statement: SqlStatement = {
  name: 'inspect_server',
  text: `
SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS version,
  pg_is_in_recovery() AS "isStandby", current_setting('default_transaction_read_only')::boolean AS "isReadOnly"`,
};

export interface InspectedServer {
  /** Such as 180004. */
  readonly versionNumber: number;
  /** Such as `18.4`. */
  readonly version: string;
  readonly isStandby: boolean;
  /** Transactions may only read, by a setting of the server, the database or the role. */
  readonly isReadOnly: boolean;
}

export async function inspectServer(database: Database): Promise<InspectedServer> {
  const { rows } = await database.execute<InspectedServer>(statement);
  const [row] = rows;
  if (row === undefined) throw new Error('the server did not say what it is');
  return row;
}
