import type { SqlSession } from '#platform';
import { type Catalogue, selectCatalogueChanges } from '../seed/catalogue.js';
import { type Counter, lockCounter } from '../store/lock-counter.js';

/**
 * Locks out other writers until the transaction ends, and catches up with what they did to the catalogue: a sandbox
 * that shares this database, or one that stopped before this one started.
 */
export async function takeTurn(session: SqlSession, catalogue: Catalogue): Promise<Counter> {
  const counter = await lockCounter(session);
  if (counter.catalogueVersion !== catalogue.version) {
    catalogue.restore(await selectCatalogueChanges(session), counter.catalogueVersion);
  }
  return counter;
}
