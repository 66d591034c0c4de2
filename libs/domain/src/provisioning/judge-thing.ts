import { canonicalJson } from '../routing/canonical-json.js';
import type { DeclaredThing, RecordedThing, ThingContent, ThingKind } from './thing.js';
import { isInDoubt, isUnderWay } from './thing.js';

/** What is to be done about a declared thing, and why. */
export type Judgement =
  | { readonly action: 'create'; readonly why: 'not-made-yet' }
  | { readonly action: 'update'; readonly why: 'not-set-yet' | 'differs' | 'update-in-doubt' }
  | { readonly action: 'in-place'; readonly why: 'as-sent' }
  | { readonly action: 'unknown'; readonly why: 'under-way' | 'in-doubt' | 'may-still-apply' }
  | { readonly action: 'cannot-be-read'; readonly why: 'said-to-exist' }
  | { readonly action: 'cannot-be-changed'; readonly why: 'no-call' | 'no-id' };

export interface JudgementTimes {
  /** Epoch ms. */
  readonly now: number;
  /** How long a call may still take effect after we lost sight of it. */
  readonly inFlightMs: number;
}

/** Only these have an update at the partner (4.8, 4.11). */
const changeable: ReadonlySet<ThingKind> = new Set<ThingKind>(['brand-attribute', 'transaction-type']);

/**
 * Compares what is wanted with what we did ourselves, for nothing can be read. A create that may have taken effect is
 * never made again before a person has said what became of it; an update sets the same values once more, but not while
 * the one before could still overtake it.
 */
export function judgeThing(declared: DeclaredThing, recorded: RecordedThing | null, times: JudgementTimes): Judgement {
  if (recorded === null) return judgeUnplaced(declared);
  return judgeOpenCall(recorded, times) ?? judgeSettled(declared, recorded);
}

/** The partner's id of a thing; what the file says counts more than what we were answered. */
export function partnerIdOf(declared: DeclaredThing, recorded: RecordedThing | null): string | null {
  return declared.partnerId ?? recorded?.partnerId ?? null;
}

/** What we put in place under that id: nothing where the file names another than the one that we were answered. */
export function placedAs(
  partnerId: string | null,
  { partnerId: answered, placed }: RecordedThing,
): ThingContent | null {
  return answered !== null && answered !== partnerId ? null : placed;
}

function judgeOpenCall(recorded: RecordedThing, { now, inFlightMs }: JudgementTimes): Judgement | null {
  if (isUnderWay(recorded, now)) return { action: 'unknown', why: 'under-way' };
  if (!isInDoubt(recorded, now)) return null;
  if (recorded.action === 'create') return { action: 'unknown', why: 'in-doubt' };
  return now < recorded.at + inFlightMs
    ? { action: 'unknown', why: 'may-still-apply' }
    : { action: 'update', why: 'update-in-doubt' };
}

function judgeSettled(declared: DeclaredThing, recorded: RecordedThing): Judgement {
  const placed = placedAs(partnerIdOf(declared, recorded), recorded);
  if (placed === null) return judgeUnplaced(declared);
  if (isSame(placed, declared.content)) return { action: 'in-place', why: 'as-sent' };
  if (!changeable.has(declared.kind)) {
    return declared.exists
      ? { action: 'cannot-be-read', why: 'said-to-exist' }
      : { action: 'cannot-be-changed', why: 'no-call' };
  }
  return partnerIdOf(declared, recorded) === null
    ? { action: 'cannot-be-changed', why: 'no-id' }
    : { action: 'update', why: 'differs' };
}

function judgeUnplaced({ kind, partnerId, exists }: DeclaredThing): Judgement {
  if (changeable.has(kind) && partnerId !== null) return { action: 'update', why: 'not-set-yet' };
  return exists ? { action: 'cannot-be-read', why: 'said-to-exist' } : { action: 'create', why: 'not-made-yet' };
}

function isSame(one: ThingContent, other: ThingContent): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
