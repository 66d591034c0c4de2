import type { Row } from '../reading/specification.js';
import type { ContractClient } from './contract-client.js';
import type { RowResult } from './row-result.js';
import type { Session } from './session.js';

export interface RowsRun {
  readonly rows: readonly Row[];
  readonly session: Session;
  /** As many rows at a time as there are clients; each client has one row at a time. */
  readonly clients: readonly ContractClient[];
}

/** Checks every row; the results are in the order of the rows. Waits of one row cost the others nothing. */
export async function runRows({ rows, session, clients }: RowsRun): Promise<RowResult[]> {
  const results: RowResult[] = [];
  const waiting = rows.map((row, index) => ({ row, index }));
  const work = async (client: ContractClient): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      results[next.index] = await session.runRow(next.row, client);
    }
  };
  await Promise.all(clients.map(work));
  return results;
}
