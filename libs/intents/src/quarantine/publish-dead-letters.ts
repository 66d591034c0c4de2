import type { Database } from '#platform';

import type { DeadLetter } from './dead-letter.js';
import { deleteDeadLetters } from './delete-dead-letters.js';
import { loadDeadLetters } from './load-dead-letters.js';
import { lockDeadLetters } from './lock-dead-letters.js';

export interface PublishDeadLetters {
  /** Together at most so large, but always at least one. */
  readonly bytesMax: number;
  readonly quarantineKey: Uint8Array;
  /** Resolves once the broker has all of them; must be bounded in time, for the transaction is open meanwhile. */
  readonly send: (letters: readonly DeadLetter[]) => Promise<void>;
}

/**
 * Publishes the oldest dead letters at least once, in one transaction around `send`: the row locks keep other replicas
 * from publishing the same ones, and a crash between the broker's acknowledgement and the commit sends them again.
 * Holding a transaction open for a send is bearable here and only here: it locks nothing but outbox rows, it is
 * bounded, and dead letters are rare.
 * @returns how many were published; 0 when none is left
 * @throws whatever `send` throws; the rows then stay
 */
export async function publishDeadLetters(database: Database, request: PublishDeadLetters): Promise<number> {
  return database.transaction('publish_dead_letters', async (session) => {
    const ids = await lockDeadLetters(session, request.bytesMax);
    if (ids.length === 0) return 0;
    await request.send(await loadDeadLetters(session, ids, request.quarantineKey));
    await deleteDeadLetters(session, ids);
    return ids.length;
  });
}
