import type { Database, SqlStatement } from '#platform';
import { statement } from '../store/statement.js';
import type { LedgerEntry } from './ledger-entry.js';
import type { LedgerQuery } from './ledger-query.js';

/** Parameters of the query that are columns, too. */
const filters = ['unique_id', 'operation', 'request_id', 'brand_id', 'program_id'] as const;

type Filter = (typeof filters)[number];

interface LedgerRow extends Omit<LedgerEntry, 'arrivedAt' | 'appliedAt'> {
  readonly arrivedAt: number;
  readonly appliedAt: number;
}

export interface LedgerPage {
  readonly items: readonly LedgerEntry[];
  /** Pass it as `after` to go on; null at the end. */
  readonly nextAfter: number | null;
}

/** Committed entries in the order in which they took effect. */
export async function readLedger(database: Database, query: LedgerQuery): Promise<LedgerPage> {
  const given = filters.filter((filter) => query[filter] !== undefined);
  const values = given.map((filter) => query[filter] ?? null);
  const { rows } = await database.execute<LedgerRow>(statementFor(given), [query.after, query.limit + 1, ...values]);
  const items = rows.slice(0, query.limit).map((row) => ({
    ...row,
    arrivedAt: new Date(row.arrivedAt).toISOString(),
    appliedAt: new Date(row.appliedAt).toISOString(),
  }));
  return { items, nextAfter: rows.length > query.limit ? (items.at(-1)?.seq ?? null) : null };
}

/** One text per combination of filters: a single one with `$1 IS NULL OR ...` would be planned for no index. */
function statementFor(given: readonly Filter[]): SqlStatement {
  const conditions = given.map((filter, index) => ` AND ${filter} = $${index + 3}`);
  return statement(
    `read_ledger_${given.map((filter) => filters.indexOf(filter)).join('')}`,
    `SELECT seq, operation, brand_id AS "brandId", program_id AS "programId", unique_id AS "uniqueId",
       pass_id AS "passId", target_id AS "targetId", key, request_id AS "requestId", arrived_at AS "arrivedAt",
       applied_at AS "appliedAt", body
     FROM wallet_sandbox.ledger WHERE seq > $1${conditions.join('')} ORDER BY seq LIMIT $2`,
  );
}
