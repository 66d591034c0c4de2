import type { SqlSession } from '#platform';
import { begunUniqueness } from '../administration/apply-administration.js';
import { appendLedger } from '../ledger/ledger.js';
import { type MetaDataValue, uniqueMetaData } from '../passes/meta-data.js';
import {
  saveMetaData,
  savePasses,
  savePersons,
  saveUniqueness,
  selectMetaData,
  selectPasses,
  selectPersons,
  selectSharedKeys,
} from '../passes/pass-store.js';
import type { PassHandle } from '../passes/pass.js';
import { handleOf } from '../passes/unique-id.js';
import { saveSchedules } from '../schedules/schedule.js';
import { type Catalogue, saveCatalogueChanges, selectCatalogueChanges } from '../seed/catalogue.js';
import { statement } from '../store/database.js';
import { uniqueValuesOf } from '../transactions/apply-transaction.js';
import { saveTransactions, saveUniqueValues, selectUniqueValues } from '../transactions/transaction.js';
import type { Effect } from './effect.js';
import { WorkingSet } from './working-set.js';

const lockCounterStatement = statement(
  'lock_counter',
  `SELECT last_id AS "lastId", last_seq AS "lastSeq", catalogue_version AS "catalogueVersion"
   FROM wallet_sandbox.counter FOR UPDATE`,
);

interface Counter {
  readonly lastId: number;
  readonly lastSeq: number;
  /** Rises with every change of the catalogue and with every reset. */
  readonly catalogueVersion: number;
}

/**
 * Takes the one row that every writer takes first and keeps until it commits: effects of all processes on this
 * database happen one batch after another, and the ledger's `seq` is dense and rises in commit order.
 */
export async function lockCounter(session: SqlSession): Promise<Counter> {
  const { rows } = await session.query<Counter>(lockCounterStatement);
  const counter = rows[0];
  if (counter === undefined) throw new Error('wallet_sandbox.counter is empty');
  return counter;
}

/**
 * Locks out other writers until the transaction ends, and catches up with what they did to the catalogue: a sandbox
 * that shares this database, or one that stopped before this one started.
 */
export async function acquireWriterLock(session: SqlSession, catalogue: Catalogue): Promise<Counter> {
  const counter = await lockCounter(session);
  if (counter.catalogueVersion !== catalogue.version) {
    catalogue.restore(await selectCatalogueChanges(session), counter.catalogueVersion);
  }
  return counter;
}

/** Locks out other writers, then loads whatever the effects may look at; what none of them may costs no statement. */
export async function loadState(
  session: SqlSession,
  catalogue: Catalogue,
  effects: readonly Effect[],
): Promise<WorkingSet> {
  const counter = await acquireWriterLock(session, catalogue);
  const passes = await selectPasses(session, effects.flatMap(handlesOf));
  const persons = await selectPersons(session, effects.flatMap(personsOf));
  const values = effects.flatMap((effect) => (effect.operation === 'transaction' ? uniqueValuesOf(effect) : []));
  const usedValues = await selectUniqueValues(session, values);
  const metaData = await selectMetaData(session, effects.flatMap(metaDataOf));
  const sharedKeys = await selectSharedKeys(session, effects.flatMap(begunUniqueness));
  return new WorkingSet({ ...counter, passes, persons, usedValues, metaData, sharedKeys });
}

function handlesOf(effect: Effect): PassHandle[] {
  if ('handle' in effect) return [effect.handle];
  return 'content' in effect ? [handleOf(effect.program, effect.identity)] : [];
}

function personsOf(effect: Effect): { brandId: string; identity: string }[] {
  return 'content' in effect ? [{ brandId: effect.program.brandId, identity: effect.identity }] : [];
}

function metaDataOf(effect: Effect): MetaDataValue[] {
  return 'content' in effect ? uniqueMetaData(effect.program.brand, effect.content.passdata?.metaData ?? {}) : [];
}

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
