import type { SqlSession } from '#platform';
import { statement } from '../store/database.js';

/** A value of a unique attribute; it may be used once per transaction type. */
export interface UniqueValue {
  readonly brandId: string;
  readonly programId: string;
  readonly transactionTypeId: string;
  readonly attribute: string;
  readonly value: string;
}

export interface Transaction {
  readonly transactionId: number;
  readonly brandId: string;
  readonly programId: string;
  readonly transactionTypeId: string;
  readonly passId: number;
  readonly amount: number;
  /** As it was sent. */
  readonly transactionDate: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const selectUniqueValuesStatement = statement(
  'select_unique_values',
  `SELECT value, attribute, transaction_type_id AS "transactionTypeId", program_id AS "programId", brand_id AS "brandId"
   FROM wallet_sandbox.unique_value WHERE value = ANY($1::text[])`,
);

/** Every use, under any attribute and type, of the given values. */
export async function selectUniqueValues(session: SqlSession, values: readonly UniqueValue[]): Promise<UniqueValue[]> {
  if (values.length === 0) return [];
  const texts = values.map((value) => value.value);
  return (await session.query<UniqueValue>(selectUniqueValuesStatement, [texts])).rows;
}

const saveUniqueValuesStatement = statement(
  'save_unique_values',
  `INSERT INTO wallet_sandbox.unique_value (value, attribute, transaction_type_id, program_id, brand_id)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])`,
);

/** Stores values as used; each must be new. */
export async function saveUniqueValues(session: SqlSession, values: readonly UniqueValue[]): Promise<void> {
  if (values.length === 0) return;
  await session.query(saveUniqueValuesStatement, [
    values.map((value) => value.value),
    values.map((value) => value.attribute),
    values.map((value) => value.transactionTypeId),
    values.map((value) => value.programId),
    values.map((value) => value.brandId),
  ]);
}

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
