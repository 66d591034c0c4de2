import type { CancelRequest, IdentityPlace, KnownIdentity } from '#domain';
import { decide } from '#domain';
import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/append-by-others.js';
import { businessDigest } from './batch-identity.js';
import type { Member } from './find-members.js';
import { memberKey } from './find-members.js';
import { findQueued } from './find-queued.js';
import { findStanding } from './find-standing.js';
import type { PlacedIntent } from './insert-intents.js';

export interface CancelRequests {
  readonly cancels: readonly CancelRequest[];
  readonly members: ReadonlyMap<string, Member>;
  readonly known: ReadonlyMap<string, KnownIdentity>;
  readonly placed: readonly PlacedIntent[];
  readonly now: number;
}

function keyOf(
  intent: CancelRequest | PlacedIntent['intent'],
  key: CancelRequest['target'] | null,
  request: CancelRequests,
): string | null {
  if (key === null || key === 'everything-queued') return null;
  return businessDigest(intent, key, request.members)?.toString('hex') ?? null;
}

/** The intent of this very batch that carries the business key. */
function placedNow(key: string, request: CancelRequests): IdentityPlace[] {
  const own = request.placed.find(({ intent }) => keyOf(intent, intent.businessKey, request) === key);
  return own === undefined ? [] : [{ laneId: own.laneId, seq: own.seq }];
}

async function placesOf(session: SqlSession, cancel: CancelRequest, request: CancelRequests): Promise<IdentityPlace[]> {
  if (cancel.target === 'everything-queued') {
    const laneId = request.members.get(memberKey(cancel))?.laneId;
    return laneId === undefined ? [] : findQueued(session, laneId);
  }
  const key = keyOf(cancel, cancel.target, request);
  if (key === null) return [];
  const stored = request.known.get(key)?.place ?? null;
  return stored === null ? placedNow(key, request) : [stored];
}

/** Cancels what the batch's voids, revocations and opt-outs refer to, as far as nothing of it has been begun. */
export async function cancelNotBegun(session: SqlSession, request: CancelRequests, keys: MemberKeys): Promise<void> {
  for (const cancel of request.cancels) {
    for (const place of await placesOf(session, cancel, request)) {
      const state = await findStanding(session, place);
      if (state.status === 'absent' || state.attempts > 0) continue;
      const decision = decide(state, {
        type: 'CancelIntent',
        at: request.now,
        by: 'source-event',
        reason: cancel.reason,
      });
      if (decision.kind === 'ignored') continue;
      for (const event of decision.events) {
        await appendByOthers(session, { ...place, event, evidence: null, settles: true }, keys);
      }
    }
  }
}
