import type { CancelRequest, IdentityPlace, IgnoredReason, KnownIdentity, RoutedIntent } from '#domain';
import { decide } from '#domain';
import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/append-by-others.js';
import { businessDigest } from './batch-identity.js';
import type { Member } from './find-members.js';
import { memberKey } from './find-members.js';
import { findQueued } from './find-queued.js';
import { findStanding } from './find-standing.js';
import { isUntouched } from './is-untouched.js';

export interface CancelContext {
  readonly members: ReadonlyMap<string, Member>;
  readonly known: ReadonlyMap<string, KnownIdentity>;
  readonly now: number;
}

/** What became of a cancel request. */
export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'too-late'; readonly instead: RoutedIntent | null }
  | { readonly kind: 'nothing-to-cancel' };

async function placesOf(session: SqlSession, cancel: CancelRequest, context: CancelContext): Promise<IdentityPlace[]> {
  if (cancel.target === 'everything-queued') {
    const laneId = context.members.get(memberKey(cancel))?.laneId;
    return laneId === undefined ? [] : findQueued(session, laneId);
  }
  const key = businessDigest(cancel, cancel.target, context.members);
  const place = key === null ? undefined : context.known.get(key.toString('hex'))?.place;
  return place ? [place] : [];
}

/**
 * Cancels what a void, a revocation or an opt-out refers to, as far as nothing of it can have taken effect. The lanes
 * are locked. For several targets the outcome is `cancelled` as soon as one was.
 */
export async function cancelNotBegun(
  session: SqlSession,
  request: { readonly cancel: CancelRequest; readonly context: CancelContext },
  keys: MemberKeys,
): Promise<CancelOutcome> {
  const { cancel, context } = request;
  let outcome: CancelOutcome = { kind: 'nothing-to-cancel' };
  for (const place of await placesOf(session, cancel, context)) {
    const state = await findStanding(session, place);
    if (state.status === 'absent' || state.status === 'cancelled') continue;
    if (!isUntouched(state)) {
      if (outcome.kind !== 'cancelled') outcome = { kind: 'too-late', instead: cancel.ifTooLate };
      continue;
    }
    const command = { type: 'CancelIntent', at: context.now, by: 'source-event', reason: cancel.reason } as const;
    const decision = decide(state, command);
    for (const event of decision.kind === 'events' ? decision.events : []) {
      await appendByOthers(session, { ...place, event, evidence: null, settles: true }, keys);
    }
    outcome = { kind: 'cancelled' };
  }
  return outcome;
}

/** Why a record whose only purpose was to cancel did nothing; null when it did something. */
export function ignoredCancel(outcomes: readonly CancelOutcome[]): IgnoredReason | null {
  if (outcomes.some(({ kind }) => kind === 'cancelled')) return null;
  const tooLate = outcomes.filter((outcome) => outcome.kind === 'too-late');
  if (tooLate.some(({ instead }) => instead !== null)) return null;
  return tooLate.length > 0 ? 'void-after-delivery' : 'nothing-to-cancel';
}
