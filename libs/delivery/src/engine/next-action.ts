import type { Program } from '#contracts';
import type { PartnerCommand } from '#domain';
import { decide, isDrained, isSettled, needsPass } from '#domain';
import type { ClaimedIntent, LaneCompletion } from '#intents';

import { policyOf } from '../policy.js';
import { completionOf, stepOver } from './completion.js';
import type { LaneWork } from './lane-work.js';
import { currentIntent, stateOf } from './lane-work.js';

/** What to do next with a lane in our hands. */
export type LaneAction =
  /** Nothing loaded to work on: give the lane back. */
  | { readonly kind: 'give-back' }
  /** Record something about the current intent without calling the partner. */
  | { readonly kind: 'record'; readonly completion: LaneCompletion; readonly isLostAttempt: boolean }
  /** Ask the partner for the member's pass. */
  | { readonly kind: 'lookup'; readonly command: PartnerCommand }
  /** Begin an attempt; `before` is appended first, in the same statement. */
  | {
      readonly kind: 'begin';
      readonly seq: number;
      readonly attempt: number;
      readonly before: LaneCompletion | null;
    };

function recordLostAttempt(work: LaneWork, intent: ClaimedIntent, context: ActionContext): LaneAction {
  const state = stateOf(work, intent.seq);
  const policy = policyOf(context.program, intent.operation);
  const decision = decide(state, { type: 'RecordLostAttempt', at: context.now, policy });
  if (decision.kind === 'ignored' && isSettled(state)) {
    return { kind: 'record', completion: stepOver, isLostAttempt: false };
  }
  // A history that does not show the open attempt is beyond our understanding: a person must look, nothing is skipped.
  const park = { type: 'IntentParked', at: context.now, reason: 'unknown-outcome', lane: policy.onPark } as const;
  const events = decision.kind === 'events' ? decision.events : [park];
  return { kind: 'record', completion: completionOf(intent.seq, events, null), isLostAttempt: true };
}

function parkErased(intent: ClaimedIntent, now: number): LaneAction {
  const event = { type: 'IntentParked', at: now, reason: 'erased', lane: 'continue' } as const;
  return { kind: 'record', completion: completionOf(intent.seq, [event], null), isLostAttempt: false };
}

function begin(work: LaneWork, intent: ClaimedIntent, now: number): LaneAction {
  const { seq } = intent;
  const state = stateOf(work, seq);
  const attempts = state.status === 'absent' ? 0 : state.attempts;
  const release = decide(state, { type: 'ReleaseIntent', at: now });
  const before = release.kind === 'events' ? completionOf(seq, release.events, null) : null;
  return { kind: 'begin', seq, attempt: attempts + 1, before };
}

export interface ActionContext {
  readonly program: Program;
  readonly now: number;
}

/** Decides on the lane's current intent. Pure. */
export function nextAction(work: LaneWork, context: ActionContext): LaneAction {
  const intent = currentIntent(work);
  if (isDrained(work.cursor) || intent === undefined) return { kind: 'give-back' };
  if (work.attemptOpen) return recordLostAttempt(work, intent, context);
  if (isSettled(stateOf(work, intent.seq))) return { kind: 'record', completion: stepOver, isLostAttempt: false };
  if (intent.command === null) return parkErased(intent, context.now);
  if (needsPass(intent.operation) && work.pass !== 'known') return { kind: 'lookup', command: intent.command };
  return begin(work, intent, context.now);
}
