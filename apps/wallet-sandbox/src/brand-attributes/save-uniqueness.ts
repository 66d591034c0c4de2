import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { UniquenessChange } from './uniqueness-change.js';

const endUniquenessStatement = statement(
  'end_uniqueness',
  `DELETE FROM wallet_sandbox.meta_data_value WHERE brand_id = $1 AND attribute = $2`,
);

const beginUniquenessStatement = statement(
  'begin_uniqueness',
  `INSERT INTO wallet_sandbox.meta_data_value (value, attribute, brand_id, pass_id, unique_id)
   SELECT passdata->'metaData'->>$2::text, $2::text, brand_id, pass_id, unique_id
   FROM wallet_sandbox.pass WHERE brand_id = $1 AND passdata->'metaData'->>$2::text IS NOT NULL`,
);

/** Forgets what passes hold under a key that is no longer kept unique, and notes it where uniqueness begins. */
export async function saveUniqueness(session: SqlSession, changes: readonly UniquenessChange[]): Promise<void> {
  for (const { ended, begun } of changes) {
    if (ended !== null) await session.query(endUniquenessStatement, [ended.brandId, ended.key]);
    if (begun !== null) await session.query(beginUniquenessStatement, [begun.brandId, begun.key]);
  }
}
