import type { Database } from '#platform';

import type { OperatorWord } from '../operator/record-action.js';
import { lockQuarantined } from './lock-quarantined.js';
import { settleQuarantined } from './settle-quarantined.js';

/** `settled`: somebody has dealt with it already. */
export type DiscardResult = { readonly kind: 'done' | 'absent' | 'settled' };

/** A person gives a record up, with a trace, in one transaction. Its bytes are kept. */
export async function discardQuarantined(
  database: Database,
  { quarantineId, word }: { readonly quarantineId: number; readonly word: OperatorWord },
): Promise<DiscardResult> {
  return database.transaction('discard_quarantined', async (session) => {
    const locked = await lockQuarantined(session, quarantineId);
    if (locked === null) return { kind: 'absent' };
    if (locked.state !== 'open') return { kind: 'settled' };
    const nothing = { ignoredReason: null, place: null, sealedCorrection: null, privileged: [] };
    await settleQuarantined(session, { quarantineId, locked, word, result: 'discarded', ...nothing });
    return { kind: 'done' };
  });
}
