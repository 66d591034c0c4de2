import type { IdentityPlace } from '#intents/core';
import { laneDetoursMax } from '#intents/core';
import type { Database, SqlSession, SqlStatement } from '#platform';
import { int8Array, timestamptzArray } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { lockLanes } from '../lanes/lane-locks.js';
import { isHeld, sendAgain } from '../lanes/locked-lane.js';
import type { DeferredLanes } from './deferred-lanes.js';

/** What stepped aside is looked for by so many at once; their lanes are locked for as long as it takes. */
export const releaseHeldMax = 50;
/** Of these lanes all that comes back, the first ones where that is more: a lane has no room for more. */
const releaseIntentsMax = laneDetoursMax;
/** Looked at to find one that may be tried: others of its lane that are held by the same go before it. */
const recallLookMax = 200;

const ranges = 'unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) AS w (program_id, from_at, to_at)';

/** A lane whose detours are full takes nothing back until it has sent some. */
const findLanesStatement: SqlStatement = {
  name: 'find_released_lanes',
  text: `
SELECT s.lane_id AS "laneId" FROM ${ranges}
CROSS JOIN LATERAL (
  SELECT h.lane_id FROM intent_standing h JOIN lane l USING (lane_id)
  WHERE h.program_id = w.program_id AND h.held_until >= w.from_at AND h.held_until <= w.to_at
    AND cardinality(l.redo) < ${laneDetoursMax}
  ORDER BY h.held_until LIMIT ${releaseHeldMax}
) s
LIMIT ${releaseHeldMax}`,
};

const findHeldStatement: SqlStatement = {
  name: 'find_released_intents',
  text: `
SELECT s.lane_id AS "laneId", s.seq FROM intent_standing s
WHERE s.lane_id = ANY ($4::bigint[]) AND ${isHeld('s')} AND EXISTS (
  SELECT FROM ${ranges} WHERE w.program_id = s.program_id AND s.held_until >= w.from_at AND s.held_until <= w.to_at)
ORDER BY s.lane_id, s.seq LIMIT ${releaseIntentsMax}`,
};

/** The last one that stepped aside, as it says least of what is broken; of its lane the first one goes first. */
const findRecalledStatement: SqlStatement = {
  name: 'find_recalled_intents',
  text: `
SELECT s.lane_id AS "laneId", s.seq FROM ${ranges}
CROSS JOIN LATERAL (
  SELECT h.lane_id, h.seq FROM (
    SELECT * FROM intent_standing
    WHERE program_id = w.program_id AND held_until >= w.from_at AND held_until <= w.to_at
    ORDER BY held_until DESC LIMIT ${recallLookMax}) h
  WHERE NOT EXISTS (SELECT FROM intent_standing e
    WHERE e.lane_id = h.lane_id AND e.seq < h.seq AND ${isHeld('e')} AND e.operation = h.operation AND e.code = h.code)
  ORDER BY h.held_until DESC LIMIT 1
) s
ORDER BY s.lane_id, s.seq`,
};

interface ReleaseRequest {
  readonly targets: readonly DeferredLanes[];
  /** Epoch ms. */
  readonly now: number;
}

function parametersOf({ targets }: ReleaseRequest): [string[], Uint8Array, Uint8Array] {
  return [
    targets.map(({ program }) => program),
    timestamptzArray(targets.map(({ from }) => from)),
    timestamptzArray(targets.map(({ to }) => to)),
  ];
}

/**
 * What stepped aside for what is held no more comes back, some lanes at a time: each lane takes all of its own at once, in their order
 * and before what has not been sent. Two processes may do so at the same time: each intent comes back once.
 * @returns how many were found; `releaseHeldMax` means that there may be others
 */
export async function releaseHeld(database: Database, request: ReleaseRequest, keys: MemberKeys): Promise<number> {
  if (request.targets.length === 0) return 0;
  const parameters = parametersOf(request);
  const { rows: found } = await database.execute<{ laneId: number }>(findLanesStatement, parameters);
  if (found.length === 0) return 0;
  const laneIds = [...new Set(found.map(({ laneId }) => laneId))];
  return database.transaction('release_held', async (session) => {
    await lockLanes(session, laneIds);
    const { rows } = await session.query<IdentityPlace>(findHeldStatement, [...parameters, int8Array(laneIds)]);
    const sent = await sendEach(session, { places: rows, now: request.now, reason: 'held-no-more' }, keys);
    // Where none of them may be sent the next look would find the same ones.
    return sent === 0 ? 0 : found.length;
  });
}

/** One of each of these comes back, so that its call can be tried. @returns how many */
export async function recallHeld(database: Database, request: ReleaseRequest, keys: MemberKeys): Promise<number> {
  if (request.targets.length === 0) return 0;
  const { rows } = await database.execute<IdentityPlace>(findRecalledStatement, parametersOf(request));
  if (rows.length === 0) return 0;
  return database.transaction('recall_held', (session) =>
    sendEach(session, { places: rows, now: request.now, reason: 'hold-tried' }, keys),
  );
}

/** In lane order. What is decided on, or came back meanwhile, is left alone. */
async function sendEach(
  session: SqlSession,
  {
    places,
    now: at,
    reason,
  }: { readonly places: readonly IdentityPlace[]; readonly now: number; readonly reason: string },
  keys: MemberKeys,
): Promise<number> {
  let sent = 0;
  for (const place of places) if (await sendAgain(session, { place, at, reason }, keys)) sent += 1;
  return sent;
}
