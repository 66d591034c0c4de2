import type { IdentityPlace, IntentEvent, IntentState, PartnerCommand } from '#intents/core';
import { decide } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import { erasedName } from '../erasure/erased-names.js';
import { destroyKey, findOpenOptOuts } from '../erasure/erasure.js';
import { addressMacsOf, measureErasure } from '../erasure/erasure-facts.js';
import { searchLater } from '../erasure/search-later.js';
import { isOptOut } from '../events/opt-outs.js';
import { clearData, timestamp } from '../events/stored-event.js';
import { operationList } from '../events/transition-sql.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { LoadedIntentState } from '../lanes/locked-lane.js';
import { appendByOthers, isHeld, loadIntentState, openInLane } from '../lanes/locked-lane.js';
import { loadCommands, loadCommandsMax } from '../operator/load-commands.js';
import { forgottenBefore } from '../recovery/recovery.js';
import type { Member } from './members.js';
import type { IngestKeys } from './recording.js';

/** Opt-outs that are spared are cancelled all the same where they are parked. */
interface CancelQueued extends CancelUnbegun {
  /** What becomes of a parked intent that may have taken effect. */
  readonly rest: 'leave' | 'park-as-erased';
}

/** What cancelling a queue has left behind. */
interface CancelledQueue {
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

function endOf(
  { state, isUntouched }: LoadedIntentState,
  request: CancelQueued,
  { isOptOut, isForgotten }: QueuedPlace,
): End {
  // No call of it is under way: an erasure need not wait for it, delivery parks what it cannot open.
  if (isForgotten) return 'over';
  if (!isUntouched) return endOfTouched(state, request);
  if (request.rest === 'leave' && isForPerson(state)) return 'spared';
  return request.sparesOptOuts && isOptOut && state.status !== 'parked' ? 'spared' : 'cancelled';
}

/** What no call can do, whether its member has left or not: it says nothing any more only once they are erased. */
const isForPerson = (state: IntentState): boolean =>
  state.status === 'parked' && ['unroutable', 'merged', 'card-replaced'].includes(state.reason);

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
    const loaded = await loadIntentState(session, place);
    const end = endOf(loaded, request, queued);
    for (const event of eventsOf(end, loaded.state, request)) {
      await appendByOthers(session, { ...place, event, evidence: null, settles: true }, keys);
    }
    counts[end] += 1;
  };
  const { leftAt = null } = request;
  for (let page = await findQueued(session, { laneId, seq: 0 }, leftAt); page.length > 0;) {
    for (const place of page) await finish(place);
    const last = page.at(-1);
    page = page.length < queuedPageMax || last === undefined ? [] : await findQueued(session, last, leftAt);
  }
  const underWay = counts['under-way'];
  return { cancelled: counts.cancelled, left: counts.parked + underWay + counts.over, underWay };
}

/** SQL: whether a row of `intent` needs a pass, and happened up to a time, perhaps none: a clock that runs ahead counts as of when its record came. */
function isOfMember(intent: string, until: string): string {
  const happened = `LEAST(${intent}.occurred_at, ${intent}.broker_at, ${intent}.recorded_at)`;
  return `COALESCE(${intent}.operation IN (${operationList('uses')}) AND ${happened} <= ${until}::timestamptz, false)`;
}

/**
 * Cancels at once everything queued to which nothing has happened yet: there may be tens of thousands of them. What
 * `appendByOthers` does for one event is done here for all: versions stay dense, the revision rises, a current intent
 * makes its lane due.
 */
const cancelUnbegunStatement: SqlStatement = {
  name: 'cancel_unbegun',
  text: `
WITH queued AS MATERIALIZED (
  SELECT i.seq, row_number() OVER (ORDER BY i.seq)::int AS rank
  FROM lane l JOIN intent i ON i.lane_id = l.lane_id
    AND ${openInLane('i.seq')}
  WHERE l.lane_id = $1
    AND NOT EXISTS (SELECT FROM intent_history e WHERE e.lane_id = i.lane_id AND e.seq = i.seq)
    AND NOT ($4::boolean AND ${isOptOut('i')})
    AND NOT ${isOfMember('i', '$5')}
    AND ${forgottenBefore('i')} IS NULL
), bumped AS (
  UPDATE lane SET version = version + added.count, revision = revision + 1,
    state = CASE WHEN added.has_current THEN 'live' ELSE state END,
    due_at = CASE WHEN added.has_current AND owner IS NULL THEN $2::timestamptz ELSE due_at END
  FROM (SELECT count(*)::int AS count, COALESCE(bool_or(q.seq = l.cur_seq), false) AS has_current
    FROM queued q JOIN lane l ON l.lane_id = $1) added
  WHERE lane_id = $1 AND added.count > 0
  RETURNING version - added.count AS version, epoch
)
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data)
SELECT $1, q.seq, b.version + q.rank, 0, b.epoch, 'IntentCancelled', $2::timestamptz, $3::jsonb
FROM queued q CROSS JOIN bumped b ORDER BY q.seq`,
};

interface CancelUnbegun {
  readonly laneId: number;
  readonly now: number;
  /** Who cancels, and why: kept in the events. */
  readonly by: string;
  readonly reason: string;
  /** What reports to the partner that the member has left stays queued. */
  readonly sparesOptOuts: boolean;
  /** Sales and rewards that happened up to then stay queued: they are a member's; epoch ms. Absent: none does. */
  readonly leftAt?: number;
}

/** The lane is locked. @returns how many were cancelled */
async function cancelUnbegun(session: SqlSession, request: CancelUnbegun): Promise<number> {
  const { laneId, now, by, reason, sparesOptOuts, leftAt = null } = request;
  const data = clearData({ type: 'IntentCancelled', at: now, by, reason });
  const until = leftAt === null ? null : timestamp(leftAt);
  return (await session.query(cancelUnbegunStatement, [laneId, timestamp(now), data, sparesOptOuts, until])).rowCount;
}

/** Intents in one page. */
const queuedPageMax = 500;

const hasEvents = 'EXISTS (SELECT FROM intent_history e WHERE e.lane_id = i.lane_id AND e.seq = i.seq)';

const findQueuedStatement: SqlStatement = {
  name: 'find_queued',
  text: `
SELECT i.seq, ${isOptOut('i')} AS "isOptOut", NOT ${hasEvents} AS "isForgotten"
FROM lane l JOIN intent i ON i.lane_id = l.lane_id
  AND (${openInLane('i.seq')} OR EXISTS (SELECT FROM intent_standing h
    WHERE h.lane_id = i.lane_id AND h.seq = i.seq AND ${isHeld('h')}))
WHERE l.lane_id = $1 AND i.seq > $2 AND NOT ${isOfMember('i', '$3')}
  AND (${hasEvents} OR ${forgottenBefore('i')} IS NOT NULL)
  AND NOT EXISTS (SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCancelled')
ORDER BY i.seq LIMIT ${queuedPageMax}`,
};

interface QueuedPlace extends IdentityPlace {
  /** It reports to the partner that the member has left. */
  readonly isOptOut: boolean;
  /** Nothing is known of it but that a lost history may have sent it. */
  readonly isForgotten: boolean;
}

/**
 * What is queued in a lane, or has stepped aside for a hold, and has lived through something, perhaps in a lost history, page by page
 * after the given seq (0 to begin).
 */
async function findQueued(
  session: SqlSession,
  after: { readonly laneId: number; readonly seq: number },
  leftAt: number | null,
): Promise<QueuedPlace[]> {
  const { laneId } = after;
  const until = leftAt === null ? null : timestamp(leftAt);
  const { rows } = await session.query<Omit<QueuedPlace, 'laneId'>>(findQueuedStatement, [laneId, after.seq, until]);
  return rows.map((row) => ({ laneId, ...row }));
}

interface ErasedMember {
  readonly erasedSeq: number;
  /** Opt-outs that have not been reported to the partner yet: the erasure must send them. */
  readonly openOptOuts: readonly PartnerCommand[];
}

/**
 * The erasure of contracts.md section 7: cancels what is queued, parks as `erased` what cannot be cancelled because it
 * may have taken effect, and destroys the member's key. What is on its way to the partner right now is settled by its
 * answer; should it need another try, delivery finds that it can no longer be opened and parks it, too. The lane is
 * locked.
 */
export async function eraseMember(
  session: SqlSession,
  request: { readonly member: Member; readonly at: number; readonly now: number },
  ingest: IngestKeys,
): Promise<ErasedMember> {
  const { members: keys, mac } = ingest;
  const { member, at, now } = request;
  const { laneId, memberId, program } = member;
  const optOuts = await findOpenOptOuts(session, laneId);
  const loaded = await loadCommands(within(session), optOuts.slice(-loadCommandsMax), keys);
  const openOptOuts = loaded.flatMap(({ current }) => (current.kind === 'command' ? [current.command] : []));
  const cause = { by: 'source-event', reason: 'opted-out' };
  await cancelQueued(session, { laneId, now, ...cause, rest: 'park-as-erased', sparesOptOuts: false }, keys);
  const audit = { actor: cause.by, reason: cause.reason };
  const trace = { ...(await measureErasure(session, { laneId, since: now, audit })), leftUnderWay: 0 };
  const addressMacs = await addressMacsOf(within(session), [laneId], ingest);
  const erasedSeq = await destroyKey(session, { laneId, at, now, erasedName: erasedName(mac, memberId) });
  await searchLater(session, { program, member: { laneId, memberId }, erasedSeq, trace, addressMacs, now }, ingest);
  return { erasedSeq, openOptOuts };
}
