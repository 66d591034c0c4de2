import type { SqlSession } from '#platform';
import { saveUniqueness } from '../brand-attributes/save-uniqueness.js';
import { appendLedger } from '../ledger/ledger.js';
import { saveMetaData } from '../passes/save-meta-data.js';
import { savePasses } from '../passes/save-passes.js';
import { savePersons } from '../passes/save-persons.js';
import { saveSchedules } from '../schedules/save-schedules.js';
import { saveCatalogueChanges } from '../seed/catalogue.js';
import { saveTransactions } from '../transactions/save-transactions.js';
import { saveUniqueValues } from '../transactions/save-unique-values.js';
import type { WorkingSet } from './working-set.js';

/** Writes what a batch changed, ledger included, into the open transaction. */
export async function saveState(session: SqlSession, state: WorkingSet): Promise<void> {
  await savePersons(session, state.changedPersonRows());
  await savePasses(session, state.changedPasses());
  await saveTransactions(session, state.transactions);
  await saveUniqueValues(session, state.newValues);
  await saveSchedules(session, state.schedules);
  await saveMetaData(session, state.metaData);
  await saveUniqueness(session, state.uniquenessChanges);
  await saveCatalogueChanges(session, state.catalogueChanges);
  await appendLedger(session, state.ledger, state);
}
