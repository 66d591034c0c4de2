import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { UniqueValue } from './transaction.js';

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
