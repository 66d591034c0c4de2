import type { Database } from '#platform';

import type { DeadLetter } from './dead-letter.js';
import { loadDeadLetters } from './load-dead-letters.js';

/** A record set aside, opened; null where there is none. */
export async function readQuarantined(
  database: Database,
  quarantineId: number,
  quarantineKey: Uint8Array,
): Promise<DeadLetter | null> {
  return database.transaction('read_quarantined', async (session) => {
    const [letter] = await loadDeadLetters(session, [quarantineId], quarantineKey);
    return letter ?? null;
  });
}
