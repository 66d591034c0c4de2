import type { Database } from '#platform';
import type { Catalogue } from '../seed/catalogue.js';
import { lockCounter } from '../store/lock-counter.js';
import { firstCounter } from '../store/schema.js';
import { statement } from '../store/statement.js';

const truncateState = statement(
  'truncate_state',
  `TRUNCATE wallet_sandbox.person, wallet_sandbox.pass, wallet_sandbox.transaction, wallet_sandbox.unique_value,
     wallet_sandbox.meta_data_value, wallet_sandbox.catalogue_change, wallet_sandbox.schedule,
     wallet_sandbox.ledger`,
);
const resetCounter = statement(
  'reset_counter',
  `UPDATE wallet_sandbox.counter SET last_id = $1, last_seq = $2, catalogue_version = catalogue_version + 1`,
);

/** Forgets every person, pass, schedule, transaction, ledger entry and change of the catalogue; numbers start anew. */
export async function resetState(database: Database, catalogue: Catalogue): Promise<void> {
  const version = await database.transaction('sandbox_reset', async (session) => {
    const { catalogueVersion } = await lockCounter(session);
    await session.query(truncateState);
    await session.query(resetCounter, [firstCounter.lastId, firstCounter.lastSeq]);
    return catalogueVersion + 1;
  });
  catalogue.restore([], version);
}
