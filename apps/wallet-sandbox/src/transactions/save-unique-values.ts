import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { UniqueValue } from './transaction.js';

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
