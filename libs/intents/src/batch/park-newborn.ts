import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/append-by-others.js';
import type { PlacedIntent } from './insert-intents.js';

/** Intents that no call can carry (unroutable, merged) are parked as they are recorded: a person must look. */
export async function parkNewborn(
  session: SqlSession,
  request: { readonly placed: readonly PlacedIntent[]; readonly now: number },
  keys: MemberKeys,
): Promise<void> {
  for (const { laneId, seq, key, intent } of request.placed) {
    if (intent.parked === null) continue;
    const { reason, detail } = intent.parked;
    const event = { type: 'IntentParked', at: request.now, reason, lane: 'continue' } as const;
    const evidence = JSON.stringify({ detail });
    await appendByOthers(session, { laneId, seq, key, event, evidence, settles: true }, keys);
  }
}
