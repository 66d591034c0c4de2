import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { CatalogueChange } from './catalogue-change.js';

const saveCatalogueChangesStatement = statement(
  'save_catalogue_changes',
  `WITH change AS (
     INSERT INTO wallet_sandbox.catalogue_change (version, change)
     SELECT c.catalogue_version + given.ordinality, given.value
     FROM wallet_sandbox.counter c, jsonb_array_elements($1::jsonb) WITH ORDINALITY AS given
     RETURNING version)
   UPDATE wallet_sandbox.counter SET catalogue_version = (SELECT max(version) FROM change)`,
);

/** Appends changes, each one version further. */
export async function saveCatalogueChanges(session: SqlSession, changes: readonly CatalogueChange[]): Promise<void> {
  if (changes.length > 0) await session.query(saveCatalogueChangesStatement, [JSON.stringify(changes)]);
}
