import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { Transaction } from './transaction.js';

const saveTransactionsStatement = statement(
  'save_transactions',
  `INSERT INTO wallet_sandbox.transaction (
     transaction_id, brand_id, program_id, transaction_type_id, pass_id, amount, transaction_date, attributes)
   SELECT "transactionId", "brandId", "programId", "transactionTypeId", "passId", amount, "transactionDate", attributes
   FROM json_to_recordset($1::json) AS r(
     "transactionId" bigint, "brandId" text, "programId" text, "transactionTypeId" text, "passId" bigint,
     amount numeric, "transactionDate" text, attributes json)`,
);

export async function saveTransactions(session: SqlSession, transactions: readonly Transaction[]): Promise<void> {
  if (transactions.length > 0) await session.query(saveTransactionsStatement, [JSON.stringify(transactions)]);
}
