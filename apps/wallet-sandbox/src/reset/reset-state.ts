import type { Database } from '#platform';
import { lockCounter } from '../store/lock-counter.js';
import { firstCounter } from '../store/schema-steps.js';
import { statement } from '../store/statement.js';

const truncateState = statement(
  'truncate_state',
  `TRUNCATE wallet_sandbox.person, wallet_sandbox.pass, wallet_sandbox.transaction, wallet_sandbox.unique_value,
     wallet_sandbox.ledger`,
);
const resetCounter = statement('reset_counter', `UPDATE wallet_sandbox.counter SET last_id = $1, last_seq = $2`);

/** Forgets every person, pass, transaction and ledger entry; numbers start anew. Access tokens stay good. */
export async function resetState(database: Database): Promise<void> {
  await database.transaction('sandbox_reset', async (session) => {
    await lockCounter(session);
    await session.query(truncateState);
    await session.query(resetCounter, [firstCounter.lastId, firstCounter.lastSeq]);
  });
}
