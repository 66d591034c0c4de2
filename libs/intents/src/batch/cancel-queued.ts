import type { IntentEvent, IntentState } from '#domain';
import { decide } from '#domain';
import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/append-by-others.js';
import type { CancelUnbegun } from './cancel-unbegun.js';
import { cancelUnbegun } from './cancel-unbegun.js';
import type { QueuedPlace } from './find-queued.js';
import { findQueued, queuedPageMax } from './find-queued.js';
import type { Standing } from './find-standing.js';
import { findStanding } from './find-standing.js';

/** Opt-outs that are spared are cancelled all the same where they are parked. */
export interface CancelQueued extends CancelUnbegun {
  /** What becomes of a parked intent that may have taken effect. */
  readonly rest: 'leave' | 'park-as-erased';
}

/** What a member's leaving left behind. */
export interface CancelledQueue {
  readonly cancelled: number;
  /** Those that may have taken effect. */
  readonly left: number;
  /** Of these: not parked, something is still to come of them. */
  readonly underWay: number;
}

type End = 'cancelled' | 'parked' | 'under-way' | 'over' | 'spared';

/** Of what may have taken effect. */
function endOfTouched(state: IntentState, { rest }: CancelQueued): End {
  if (state.status === 'parked') return rest === 'park-as-erased' && state.reason !== 'erased' ? 'parked' : 'over';
  return state.status === 'delivered' ? 'over' : 'under-way';
}

function endOf({ state, isUntouched }: Standing, request: CancelQueued, { isOptOut, isForgotten }: QueuedPlace): End {
  // No call of it is under way: an erasure need not wait for it, delivery parks what it cannot open.
  if (isForgotten) return 'over';
  if (!isUntouched) return endOfTouched(state, request);
  return request.sparesOptOuts && isOptOut && state.status !== 'parked' ? 'spared' : 'cancelled';
}

function eventsOf(end: End, state: IntentState, { now, by, reason }: CancelQueued): readonly IntentEvent[] {
  if (end === 'parked') return [{ type: 'IntentParked', at: now, reason: 'erased', lane: 'continue' }];
  if (end !== 'cancelled') return [];
  const decision = decide(state, { type: 'CancelIntent', at: now, by, reason });
  return decision.kind === 'events' ? decision.events : [];
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
  const counts: Record<End, number> = { cancelled: 0, parked: 0, 'under-way': 0, over: 0, spared: 0 };
  counts.cancelled = await cancelUnbegun(session, request);
  const finish = async (queued: QueuedPlace): Promise<void> => {
    const place = { laneId: queued.laneId, seq: queued.seq };
    const standing = await findStanding(session, place);
    const end = endOf(standing, request, queued);
    for (const event of eventsOf(end, standing.state, request)) {
      await appendByOthers(session, { ...place, event, evidence: null, settles: true }, keys);
    }
    counts[end] += 1;
  };
  for (let page = await findQueued(session, { laneId, seq: 0 }); page.length > 0;) {
    for (const place of page) await finish(place);
    const last = page.at(-1);
    page = page.length < queuedPageMax || last === undefined ? [] : await findQueued(session, last);
  }
  const underWay = counts['under-way'];
  return { cancelled: counts.cancelled, left: counts.parked + underWay + counts.over, underWay };
}
