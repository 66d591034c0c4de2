import type { SqlSession } from '#platform';
import { appendLedger } from '../ledger/append-ledger.js';
import { savePasses } from '../passes/save-passes.js';
import { savePersons } from '../passes/save-persons.js';
import { saveTransactions } from '../transactions/save-transactions.js';
import { saveUniqueValues } from '../transactions/save-unique-values.js';
import type { WorkingSet } from './working-set.js';

/** Writes what a batch changed, ledger included, into the open transaction. */
export async function saveState(session: SqlSession, state: WorkingSet): Promise<void> {
  await savePersons(session, state.changedPersonRows());
  await savePasses(session, state.changedPasses());
  await saveTransactions(session, state.transactions);
  await saveUniqueValues(session, state.newValues);
  await appendLedger(session, state.ledger, state);
}
