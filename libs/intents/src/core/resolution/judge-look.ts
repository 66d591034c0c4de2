import type { Program } from '#contracts';

import { decide } from '../intent/decide.js';
import { evolve } from '../intent/evolve.js';
import type { IntentEvent } from '../intent/intent-event.js';
import type { UnknownIntent } from '../intent/intent-state.js';
import { hasContradiction, initialIntentState } from '../intent/intent-state.js';
import type { PolicySubject } from './delivery-policy.js';
import { movesPoints, policyOf } from './delivery-policy.js';
import type { SeenPass } from './finding.js';
import { findingOf, shownPoints } from './finding.js';
import type { DeliveryPolicy } from './resolution.js';
import { readsBefore, resolutionOf, resolutionStep } from './resolution.js';

/** Why a look proves nothing. */
export type LookReason =
  /** The partner could not say. */
  | 'partner-failed'
  /** What was called leaves no trace in a lookup. */
  | 'no-trace'
  /** Nor that; but the partner refuses a second one with the same value. */
  | 'refused-twice'
  /** The partner answered something else than was asked: what it has of it, no look tells. */
  | 'answered-otherwise'
  /** It may be told by what the pass showed before the attempt, and that was not read, or was as wanted already. */
  | 'not-read-before'
  /** Another call of the member ended right before that was read, or since. */
  | 'others-moved'
  /** Two equal reads of the points are needed, `inFlightMs` apart: this was the first. */
  | 'second-look'
  /** The attempt may still take effect. */
  | 'too-early'
  /** The points moved otherwise than by what it adds. */
  | 'other-points'
  /** What the pass shows can be read either way. */
  | 'unclear';

/** What a look at the partner says of an intent in doubt. */
export interface LookProof {
  readonly verdict: 'applied' | 'not-applied' | 'nothing';
  /** As delivery would keep it with `VerifiedApplied` or `VerifiedAbsent`; null: it proves nothing. */
  readonly evidence: string | null;
  readonly why: LookReason | null;
  /**
   * For what moves the points: those read before the attempt, those of now, and by how much it moves them; null: not known.
   * All null for anything else.
   */
  readonly points: { readonly before: number | null; readonly now: number | null; readonly delta: number | null };
}

interface Looked extends Doubtful {
  readonly seen: SeenPass;
  /** The points that a look of before has shown, where they tell something of it only together with those of now. */
  readonly earlier?: NonNullable<UnknownIntent['read']>;
}

interface Doubtful {
  /** All of the intent, from its recording on. */
  readonly events: readonly IntentEvent[];
  readonly subject: PolicySubject;
  readonly program: Program;
  /** Epoch ms. */
  readonly at: number;
}

/** As it stood when its last doubt was looked into; null: it is not in doubt. */
function doubtOf(events: readonly IntentEvent[]): UnknownIntent | null {
  let doubt: UnknownIntent | null = null;
  const last = events.reduce((state, event) => {
    const next = evolve(state, event);
    if (next.status === 'unknown') doubt = next;
    return next;
  }, initialIntentState);
  // TypeScript does not see what the fold has set.
  const before = doubt as UnknownIntent | null;
  const isOpen = last.status === 'unknown' || (last.status === 'parked' && last.reason === 'unknown-outcome');
  if (!isOpen || before === null || !last.doubts.includes(before.attempt)) return null;
  const { doubts, unproven, contradicted, cancelRequest } = last;
  return { ...before, doubts, unproven, contradicted, cancelRequest };
}

/** Every way of finding out that there is, whatever the programs file lets delivery do by itself. */
function askedAs(program: Program): Program {
  const probe = 'probe' as const;
  return {
    ...program,
    onUnknown: { issue: probe, update: probe, transaction: probe, reward: probe, 'schedule-update': probe },
  };
}

function pointsOf({ subject: { command }, seen }: Looked, doubt: UnknownIntent, policy: DeliveryPolicy) {
  if (!movesPoints(command)) return { before: null, now: null, delta: null };
  const now = seen.kind === 'found' ? shownPoints(seen.pass) : null;
  return { before: doubt.before?.points ?? null, now, delta: policy.pointsDelta };
}

/** Why no look can prove anything; null: one may. */
function obstacleOf(looked: Doubtful, doubt: UnknownIntent, policy: DeliveryPolicy): LookReason | null {
  const { command } = looked.subject;
  if (hasContradiction(doubt)) return 'answered-otherwise';
  const { kind } = resolutionStep(doubt, policy, looked.at);
  if (kind === 'look-up' || kind === 'read') return null;
  const best = command === null ? 'park' : resolutionOf(command, 'probe');
  if (best === 'resend-unique') return 'refused-twice';
  if (!readsBefore(best)) return 'no-trace';
  return policy.resolution === best ? 'not-read-before' : 'others-moved';
}

/** Why this look proves nothing whatever it has shown; null: it may. */
function obstacleTo(looked: Looked, doubt: UnknownIntent, policy: DeliveryPolicy): LookReason | null {
  const isSilent = looked.seen.kind === 'failed' && !hasContradiction(doubt);
  return isSilent ? 'partner-failed' : obstacleOf(looked, doubt, policy);
}

function reasonOf(looked: Looked, doubt: UnknownIntent, policy: DeliveryPolicy): LookReason {
  if (looked.at < doubt.endedBy + policy.inFlightMs) return 'too-early';
  const { seen } = looked;
  const hasPoints = policy.resolution === 'probe-points' && seen.kind === 'found' && shownPoints(seen.pass) !== null;
  return hasPoints ? 'other-points' : 'unclear';
}

/**
 * What a person's look at the partner proves about an intent in doubt, by the very rules by which delivery settles it
 * (design.md section 6): it decides as delivery would, and records nothing. Pure.
 * @returns null where the intent is not in doubt
 */
export function judgeLook(looked: Looked): LookProof | null {
  const found = doubtOf(looked.events);
  if (found === null) return null;
  const { earlier = found.read } = looked;
  const doubt = { ...found, read: earlier };
  const { subject, seen, at } = looked;
  const policy = policyOf(askedAs(looked.program), subject);
  const points = pointsOf(looked, doubt, policy);
  const nothing = (why: LookReason): LookProof => ({ verdict: 'nothing', evidence: null, why, points });
  const obstacle = obstacleTo(looked, doubt, policy);
  if (obstacle !== null) return nothing(obstacle);
  const finding = findingOf(subject.command, policy.resolution, seen);
  const decision = decide(doubt, { type: 'RecordFinding', at, finding, policy, chance: 0 });
  for (const event of decision.kind === 'events' ? decision.events : []) {
    const { type } = event;
    if (type === 'VerifiedApplied') return { verdict: 'applied', evidence: event.evidence, why: null, points };
    if (type === 'VerifiedAbsent') return { verdict: 'not-applied', evidence: event.evidence, why: null, points };
    if (type === 'ProbeRead') return nothing('second-look');
  }
  return nothing(reasonOf(looked, doubt, policy));
}

/** Why a look would prove nothing whatever the partner shows, or that it is in doubt no more; null: one may prove something. */
export function whyLookInVain(doubtful: Doubtful): LookReason | 'settled' | null {
  const doubt = doubtOf(doubtful.events);
  if (doubt === null) return 'settled';
  return obstacleOf(doubtful, doubt, policyOf(askedAs(doubtful.program), doubtful.subject));
}
