import type { IdentityPlace, KnownIdentity } from '#domain';
import type { SqlSession } from '#platform';

import { businessDigest } from './batch-identity.js';
import type { LaneExtension } from './extend-lanes.js';
import { extendLanes } from './extend-lanes.js';
import type { Member } from './find-members.js';
import { memberKey } from './find-members.js';
import type { PlacedIntent } from './insert-intents.js';
import type { IntentToPlace } from './plan-batch.js';

export interface PlaceRequest {
  readonly intents: readonly IntentToPlace[];
  readonly members: ReadonlyMap<string, Member>;
  readonly known: ReadonlyMap<string, KnownIdentity>;
  readonly now: number;
}

function isEnrolment(item: IntentToPlace): boolean {
  return item.intent.operation === 'issue' || item.intent.operation === 'issue-via-workflow';
}

function extensionOf(laneId: number, items: readonly IntentToPlace[]): LaneExtension {
  const issueRank = items.findLastIndex(isEnrolment) + 1;
  const program = items[0]?.intent.program ?? '';
  return { laneId, program, count: items.length, issueRank: issueRank === 0 ? null : issueRank };
}

interface KnownPlaces {
  readonly request: PlaceRequest;
  /** Business keys placed by this very batch. */
  readonly own: ReadonlyMap<string, IdentityPlace>;
}

/** The purchase that a refund waits for, when it is an earlier intent of the same lane. */
function waitsForSeq(item: IntentToPlace, laneId: number, places: KnownPlaces): number | null {
  const { request, own } = places;
  const key = businessDigest(item.intent, item.intent.waitsFor, request.members)?.toString('hex');
  if (key === undefined) return null;
  const place = request.known.get(key)?.place ?? own.get(key);
  return place?.laneId === laneId ? place.seq : null;
}

/** Gives each intent its lane, seq and version; the result is in the order of the request. */
export async function placeIntents(session: SqlSession, request: PlaceRequest): Promise<PlacedIntent[]> {
  const memberOf = (item: IntentToPlace): Member => {
    const member = request.members.get(memberKey(item.intent));
    if (member === undefined) throw new Error('an intent without a member cannot be placed');
    return member;
  };
  const laneOf = (item: IntentToPlace): number => memberOf(item).laneId;
  const groups = Map.groupBy(request.intents, laneOf);
  const extensions = [...groups].map(([laneId, items]) => extensionOf(laneId, items));
  const lanes = await extendLanes(session, extensions, request.now);
  const used = new Map<number, number>();
  const ownKeys = new Map<string, IdentityPlace>();
  return request.intents.map((item) => {
    const { laneId, erasedSeq, key } = memberOf(item);
    const lane = lanes.get(laneId);
    if (lane === undefined || key === null) throw new Error('a lane was not extended, or has no key');
    const rank = used.get(laneId) ?? 0;
    used.set(laneId, rank + 1);
    const seq = lane.firstSeq + rank;
    const waits = waitsForSeq(item, laneId, { request, own: ownKeys });
    if (item.identity.businessKey !== null) ownKeys.set(item.identity.businessKey.toString('hex'), { laneId, seq });
    const { intent, record, identity } = item;
    const version = lane.firstVersion + rank;
    return { laneId, seq, version, dedupKey: identity.eventKey, waitsForSeq: waits, key, erasedSeq, intent, record };
  });
}
