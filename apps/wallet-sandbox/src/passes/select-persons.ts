import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { Person } from './pass.js';

const selectPersonsStatement = statement(
  'select_persons',
  `SELECT person_id AS "personId", brand_id AS "brandId", unique_id AS "uniqueId", attributes
   FROM wallet_sandbox.person
   WHERE (brand_id, unique_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
);

/** The persons that exist among the given (brand, unique id) pairs. */
export async function selectPersons(
  session: SqlSession,
  owners: readonly Pick<Person, 'brandId' | 'uniqueId'>[],
): Promise<Person[]> {
  if (owners.length === 0) return [];
  const parameters = [owners.map((owner) => owner.brandId), owners.map((owner) => owner.uniqueId)];
  return (await session.query<Person>(selectPersonsStatement, parameters)).rows;
}
