import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { UniqueKey } from './uniqueness-change.js';

const selectSharedKeysStatement = statement(
  'select_shared_keys',
  `SELECT DISTINCT brand_id AS "brandId", key
   FROM unnest($1::text[], $2::text[]) AS asked(brand_id, key)
   JOIN wallet_sandbox.pass USING (brand_id)
   WHERE passdata->'metaData'->>key IS NOT NULL
   GROUP BY brand_id, key, passdata->'metaData'->>key
   HAVING count(DISTINCT unique_id) > 1`,
);

/** Those of the keys under which passes of several cardholders hold the same value. Reads every pass of the brand. */
export async function selectSharedKeys(session: SqlSession, keys: readonly UniqueKey[]): Promise<UniqueKey[]> {
  if (keys.length === 0) return [];
  const parameters = [keys.map(({ brandId }) => brandId), keys.map(({ key }) => key)];
  return (await session.query<UniqueKey>(selectSharedKeysStatement, parameters)).rows;
}
