import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { HeldMetaDataValue, MetaDataValue } from './meta-data.js';

const selectMetaDataStatement = statement(
  'select_meta_data',
  `SELECT value, attribute, brand_id AS "brandId", pass_id AS "passId", unique_id AS "uniqueId"
   FROM wallet_sandbox.meta_data_value WHERE value = ANY($1::text[])`,
);

/** Every pass that holds one of the values under any unique attribute of any brand. */
export async function selectMetaData(
  session: SqlSession,
  values: readonly MetaDataValue[],
): Promise<HeldMetaDataValue[]> {
  if (values.length === 0) return [];
  const texts = values.map((value) => value.value);
  return (await session.query<HeldMetaDataValue>(selectMetaDataStatement, [texts])).rows;
}
