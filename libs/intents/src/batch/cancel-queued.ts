import type { IdentityPlace, IntentEvent, IntentState } from '#domain';
import { decide } from '#domain';
import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/append-by-others.js';
import { cancelUnbegun } from './cancel-unbegun.js';
import { findQueued, queuedPageMax } from './find-queued.js';
import { findStanding } from './find-standing.js';
import { isUntouched } from './is-untouched.js';

export interface CancelQueued {
  readonly laneId: number;
  readonly now: number;
  readonly reason: string;
  /** What becomes of a parked intent that may have taken effect. */
  readonly rest: 'leave' | 'park-as-erased';
}

/** What a member's leaving left behind. */
export interface CancelledQueue {
  readonly cancelled: number;
  /** Those that may have taken effect. */
  readonly left: number;
}

function endOf(state: IntentState, { now, reason, rest }: CancelQueued): readonly IntentEvent[] {
  if (isUntouched(state)) {
    const decision = decide(state, { type: 'CancelIntent', at: now, by: 'source-event', reason });
    return decision.kind === 'events' ? decision.events : [];
  }
  const mustPark = state.status === 'parked' && rest === 'park-as-erased';
  return mustPark ? [{ type: 'IntentParked', at: now, reason: 'erased', lane: 'continue' }] : [];
}

/**
 * Cancels what is queued in a lane as far as nothing of it can have taken effect, however much that is: what nothing
 * has happened to in one statement, the rest one by one. The lane is locked.
 */
export async function cancelQueued(
  session: SqlSession,
  request: CancelQueued,
  keys: MemberKeys,
): Promise<CancelledQueue> {
  const { laneId } = request;
  let cancelled = await cancelUnbegun(session, request);
  let left = 0;
  const end = async (place: IdentityPlace): Promise<void> => {
    const events = endOf(await findStanding(session, place), request);
    for (const event of events) await appendByOthers(session, { ...place, event, evidence: null, settles: true }, keys);
    if (events.some(({ type }) => type === 'IntentCancelled')) cancelled += 1;
    else left += 1;
  };
  for (let page = await findQueued(session, { laneId, seq: 0 }); page.length > 0;) {
    for (const place of page) await end(place);
    const last = page.at(-1);
    page = page.length < queuedPageMax || last === undefined ? [] : await findQueued(session, last);
  }
  return { cancelled, left };
}
