import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { Person } from './pass.js';

const savePersonsStatement = statement(
  'save_persons',
  `INSERT INTO wallet_sandbox.person (person_id, brand_id, unique_id, attributes)
   SELECT "personId", "brandId", "uniqueId", attributes
   FROM json_to_recordset($1::json) AS r("personId" text, "brandId" text, "uniqueId" text, attributes jsonb)
   ON CONFLICT (person_id) DO UPDATE SET attributes = excluded.attributes`,
);

/** Inserts new persons and overwrites known ones. */
export async function savePersons(session: SqlSession, persons: readonly Person[]): Promise<void> {
  if (persons.length > 0) await session.query(savePersonsStatement, [JSON.stringify(persons)]);
}
