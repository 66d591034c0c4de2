import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { LedgerEntry } from './ledger-entry.js';

const appendLedgerStatement = statement(
  'append_ledger',
  `WITH moved AS (UPDATE wallet_sandbox.counter SET last_id = $2::bigint, last_seq = $3::bigint)
   INSERT INTO wallet_sandbox.ledger (
     seq, operation, brand_id, program_id, unique_id, pass_id, target_id, key, request_id, arrived_at, applied_at, body)
   SELECT seq, operation, "brandId", "programId", "uniqueId", "passId", "targetId", key, "requestId", "arrivedAt",
     "appliedAt", body
   FROM json_to_recordset($1::json) AS r(
     seq bigint, operation text, "brandId" text, "programId" text, "uniqueId" text, "passId" bigint, "targetId" text,
     key text, "requestId" text, "arrivedAt" timestamptz, "appliedAt" timestamptz, body json)`,
);

/** Appends entries and moves the counter past the numbers they and their effects took. */
export async function appendLedger(
  session: SqlSession,
  entries: readonly LedgerEntry[],
  counter: { readonly lastId: number; readonly lastSeq: number },
): Promise<void> {
  if (entries.length === 0) return;
  await session.query(appendLedgerStatement, [JSON.stringify(entries), counter.lastId, counter.lastSeq]);
}
