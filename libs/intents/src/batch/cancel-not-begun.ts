import type { CancelRequest, IdentityPlace, IgnoredReason, KnownIdentity, RoutedIntent } from '#domain';
import { decide } from '#domain';
import type { SqlSession } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/append-by-others.js';
import { businessDigest } from './batch-identity.js';
import { cancelQueued } from './cancel-queued.js';
import type { Member } from './find-members.js';
import { memberKey } from './find-members.js';
import { findStanding } from './find-standing.js';

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

type Target = Extract<CancelRequest['target'], object>;

function placeOf(cancel: CancelRequest, target: Target, { members, known }: CancelContext): IdentityPlace | null {
  const key = businessDigest(cancel, target, members);
  return key === null ? null : (known.get(key.toString('hex'))?.place ?? null);
}

const nothing: CancelOutcome = { kind: 'nothing-to-cancel' };

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
  const { now } = context;
  if (cancel.target !== 'everything-queued') {
    const place = placeOf(cancel, cancel.target, context);
    return place === null ? nothing : cancelOne(session, { cancel, place, now }, keys);
  }
  const laneId = context.members.get(memberKey(cancel))?.laneId;
  if (laneId === undefined) return nothing;
  const word = { by: 'source-event', reason: cancel.reason };
  const queue = { laneId, now, ...word, rest: 'leave', sparesOptOuts: false } as const;
  const { cancelled, left } = await cancelQueued(session, queue, keys);
  if (cancelled > 0) return { kind: 'cancelled' };
  return left > 0 ? { kind: 'too-late', instead: cancel.ifTooLate } : nothing;
}

async function cancelOne(
  session: SqlSession,
  request: { readonly cancel: CancelRequest; readonly place: IdentityPlace; readonly now: number },
  keys: MemberKeys,
): Promise<CancelOutcome> {
  const { cancel, place, now } = request;
  const { state, isUntouched } = await findStanding(session, place);
  if (state.status === 'absent' || state.status === 'cancelled') return nothing;
  if (!isUntouched) return { kind: 'too-late', instead: cancel.ifTooLate };
  const decision = decide(state, { type: 'CancelIntent', at: now, by: 'source-event', reason: cancel.reason });
  for (const event of decision.kind === 'events' ? decision.events : []) {
    await appendByOthers(session, { ...place, event, evidence: null, settles: true }, keys);
  }
  return { kind: 'cancelled' };
}

/** Why a record whose only purpose was to cancel did nothing; null when it did something. */
export function ignoredCancel(outcomes: readonly CancelOutcome[]): IgnoredReason | null {
  if (outcomes.some(({ kind }) => kind === 'cancelled')) return null;
  const tooLate = outcomes.filter((outcome) => outcome.kind === 'too-late');
  if (tooLate.some(({ instead }) => instead !== null)) return null;
  return tooLate.length > 0 ? 'void-after-delivery' : 'nothing-to-cancel';
}
