import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { MetaDataIndex } from './meta-data-index.js';

const forgetMetaDataStatement = statement(
  'forget_meta_data',
  `DELETE FROM wallet_sandbox.meta_data_value WHERE pass_id = ANY($1::bigint[])`,
);

const saveMetaDataStatement = statement(
  'save_meta_data',
  `INSERT INTO wallet_sandbox.meta_data_value (value, attribute, brand_id, pass_id, unique_id)
   SELECT value, attribute, "brandId", "passId", "uniqueId"
   FROM json_to_recordset($1::json) AS r(value text, attribute text, "brandId" text, "passId" bigint, "uniqueId" text)`,
);

/** Writes what the changed passes hold in the place of what they held. */
export async function saveMetaData(session: SqlSession, index: MetaDataIndex): Promise<void> {
  const { passIds, held } = index.changes();
  if (passIds.length > 0) await session.query(forgetMetaDataStatement, [passIds]);
  if (held.length > 0) await session.query(saveMetaDataStatement, [JSON.stringify(held)]);
}
