import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { CatalogueChange } from './catalogue-change.js';

const selectCatalogueChangesStatement = statement(
  'select_catalogue_changes',
  `SELECT change FROM wallet_sandbox.catalogue_change ORDER BY version`,
);

/** Every change since the seed, in the order in which they were made. */
export async function selectCatalogueChanges(session: SqlSession): Promise<CatalogueChange[]> {
  const { rows } = await session.query<{ change: CatalogueChange }>(selectCatalogueChangesStatement);
  return rows.map((row) => row.change);
}
