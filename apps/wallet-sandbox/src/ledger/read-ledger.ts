import type { Database } from '#platform';
import { statement } from '../store/statement.js';
import type { LedgerEntry } from './ledger-entry.js';
import type { LedgerQuery } from './ledger-query.js';

const readLedgerStatement = statement(
  'read_ledger',
  `SELECT seq, operation, brand_id AS "brandId", program_id AS "programId", unique_id AS "uniqueId",
     pass_id AS "passId", target_id AS "targetId", key, request_id AS "requestId", arrived_at AS "arrivedAt",
     applied_at AS "appliedAt", body
   FROM wallet_sandbox.ledger
   WHERE seq > $1 AND ($2::text IS NULL OR unique_id = $2) AND ($3::text IS NULL OR operation = $3)
   ORDER BY seq LIMIT $4`,
);

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
  const { rows } = await database.execute<LedgerRow>(readLedgerStatement, [
    query.after,
    query.unique_id ?? null,
    query.operation ?? null,
    query.limit + 1,
  ]);
  const items = rows.slice(0, query.limit).map((row) => ({
    ...row,
    arrivedAt: new Date(row.arrivedAt).toISOString(),
    appliedAt: new Date(row.appliedAt).toISOString(),
  }));
  return { items, nextAfter: rows.length > query.limit ? (items.at(-1)?.seq ?? null) : null };
}
