import type { WalletPass } from '#contracts';

import { nextFindingAt } from '../intent/decide-resolution.js';
import { passRecheckAt } from '../intent/decide-waiting.js';
import { decide } from '../intent/decide.js';
import { evolve } from '../intent/evolve.js';
import type { PassBefore } from '../intent/intent-event.js';
import type { IntentState } from '../intent/intent-state.js';
import { comparePass } from '../reconciliation/compare-pass.js';
import { findingOf, shownPoints, wantedContent } from '../resolution/finding.js';
import { duplicateIssueCode } from '../resolution/resolution.js';
import type { ComeBackStep, KnownOfPass, LookupPurpose, RecordStep, Sending } from './next-step.js';
import { comeBackAt, doubtInsteadOf, hadPass, isLeaving, record } from './next-step.js';

interface Asked {
  /** How long the call took. The whole object is kept as evidence. */
  readonly durationMs: number;
}

/** The partner's answer to a lookup of a pass, as far as it decides; the gateway's report fits. */
export type LookupShown =
  | { readonly kind: 'found'; readonly pass: WalletPass; readonly evidence: Asked }
  | { readonly kind: 'absent'; readonly isDead?: true; readonly evidence: Asked }
  | { readonly kind: 'failed'; readonly code: string; readonly evidence: Asked };

/** A lookup for the current intent, answered. */
export interface Lookup {
  readonly purpose: LookupPurpose;
  readonly report: LookupShown;
  /** Passes that the listing counts; null when it was not asked or gave no count. */
  readonly listed: number | null;
}

/** Nothing is to be recorded: the intent continues with this knowledge. */
interface Learned {
  readonly kind: 'learned';
  readonly known: Partial<KnownOfPass>;
}

/** How soon a lookup that failed is repeated, jittered; the gate stays closed longer when the partner is away. */
const lookupRetryMs = 1_000;

/**
 * Answers that show passes, none of which is known to be the member's: asked again at once the partner would answer the same.
 * Such an intent waits as one without a pass, and parks with what was seen.
 */
const notTheirs: ReadonlySet<string> = new Set(['foreign-pass', 'several-passes', 'shared-pass']);

/** What a lookup settles at once; null: `decideLookup` must say when the intent comes back, or what it proves. Pure. */
export function readLookup(sending: Sending, lookup: Lookup): Learned | RecordStep | ComeBackStep | null {
  const { purpose, report } = lookup;
  // What comes after it must know, too, should the enrolment not lead to another pass.
  if (purpose === 'issue' && isDead(report) && sending.known.pass === 'known') {
    return record([{ type: 'PassAbsent', at: sending.now }], JSON.stringify(report.evidence));
  }
  const known = knownBy(sending, lookup);
  if (known !== null) return { kind: 'learned', known };
  if (purpose === 'resolve' || purpose === 'issue') return null;
  if (report.kind === 'found') {
    return record([{ type: 'PassFound', at: sending.now }], JSON.stringify(report.evidence));
  }
  return hasNoAddressee(sending, lookup) ? leaveWithoutPass(sending, lookup) : null;
}

/**
 * What a lookup means that has settled nothing by itself. Pure.
 * @param chance uniform in [0, 1)
 */
export function decideLookup(sending: Sending, lookup: Lookup, chance: number): RecordStep | ComeBackStep {
  const { purpose, report, listed } = lookup;
  switch (purpose) {
    case 'resolve':
      return afterFinding(sending, lookup, chance);
    case 'issue':
      return beforeIssue(sending, lookup, chance);
    case 'pass':
    case 'name':
    case 'before': {
      const isNone = report.kind === 'absent';
      if (isNone && isLeaving(sending) && listed === null) return askAgain(sending, chance);
      return isNone || showsOthersOnly(report) ? afterAbsence(sending, lookup, chance) : askAgain(sending, chance);
    }
  }
}

/** What the lookup showed where nothing is to be recorded; null where something is, or nothing is proved. */
function knownBy(sending: Sending, lookup: Lookup): Partial<KnownOfPass> | null {
  const { purpose, report, listed } = lookup;
  switch (purpose) {
    case 'name':
      return report.kind === 'found' ? { isNameAsked: true } : null;
    case 'before': {
      const before = passBefore(sending, report);
      return before === null ? null : { before };
    }
    case 'issue':
      return mayIssue(sending, lookup) ? { isPassAsked: true } : null;
    case 'pass':
      return (listed ?? 0) > 0 ? { isPassAsked: true } : null;
    case 'resolve':
      return null;
  }
}

/** The values to compare with later; null when the lookup failed, or found no pass. */
function passBefore({ intent, policy, now }: Sending, report: LookupShown): PassBefore | null {
  if (report.kind !== 'found') return null;
  const content = wantedContent(intent.command);
  const readAt = now - Math.ceil(report.evidence.durationMs);
  if (policy.resolution === 'probe-content' && content !== null) {
    return comparePass(content, report.pass) === 'differs' ? { differs: true, readAt } : {};
  }
  const points = shownPoints(report.pass);
  return points === null ? {} : { points, readAt };
}

/** In the place of an earlier pass only once nothing of that can show any more, and lookup and count deny it. */
function mayIssue({ state, policy, now }: Sending, { report, listed }: Lookup): boolean {
  if (!hadPass(state) || state.status === 'absent') return hasNoPass(report);
  const isDenied = report.kind === 'absent' && (listed === 0 || isDead(report));
  return isDenied && now >= (state.appliedAt ?? 0) + policy.inFlightMs;
}

/** By its status the pass that was found is no card any more: there is none, whatever the listing counts. */
function isDead(report: LookupShown): boolean {
  return report.kind === 'absent' && report.isDead === true;
}

/** The partner knows of no pass that is theirs. */
function hasNoPass(report: LookupShown): boolean {
  return report.kind === 'absent' || (report.kind === 'failed' && report.code === 'foreign-pass');
}

function showsOthersOnly(report: LookupShown): boolean {
  return report.kind === 'failed' && notTheirs.has(report.code);
}

/**
 * Whether a member who leaves has no pass: lookup and count both deny it, and nothing of the lane can make one any more. An
 * enrolment before it has ended when the wait began.
 */
function hasNoAddressee(sending: Sending, { report, listed }: Lookup): boolean {
  const { intent, state, policy, now } = sending;
  if (report.kind !== 'absent' || listed !== 0 || !isLeaving(sending)) return false;
  const hasWaited = state.status === 'waiting' && now >= state.since + policy.inFlightMs;
  return intent.neverEnrolled === true || hasWaited;
}

/** The partner has no pass of this member, so an opt-out has no addressee. */
function leaveWithoutPass({ state, now }: Sending, lookup: Lookup): RecordStep | ComeBackStep {
  const decision = decide(state, { type: 'CancelIntent', at: now, by: 'loyaltyd', reason: 'no-pass' });
  if (decision.kind === 'ignored') return comeBackAt('retry', now);
  return record([{ type: 'PassAbsent', at: now }, ...decision.events], countedEvidence(lookup));
}

function countedEvidence({ report, listed }: Lookup): string {
  return JSON.stringify({ lookup: report.evidence, listed });
}

/** An enrolment settles with the pass that its member has, and none is issued. */
function beforeIssue(sending: Sending, lookup: Lookup, chance: number): RecordStep | ComeBackStep {
  const { state, policy, now } = sending;
  const isOnlyOne = lookup.report.kind === 'found';
  if (!isOnlyOne && !showsOthersOnly(lookup.report)) return askForIssueAgain(sending, chance);
  const decision = decide(state, { type: 'RecordPassThere', at: now, isOnlyOne, policy, chance });
  if (decision.kind === 'ignored') throw new Error(`what was found before an issue was ignored: ${decision.reason}`);
  return record(decision.events, countedEvidence(lookup));
}

/** The longer a pass is not proved to be gone, the rarer: the count may contradict the lookup for long. */
function askForIssueAgain(sending: Sending, chance: number): ComeBackStep {
  const { state, now } = sending;
  if (!hadPass(state) || state.status === 'absent') return askAgain(sending, chance);
  const waitingSince = Math.min(now, state.triedSince);
  return comeBackAt('retry', passRecheckAt({ waitingSince, at: now, deadline: Infinity, chance }));
}

function askAgain({ now }: Sending, chance: number): ComeBackStep {
  return comeBackAt('retry', now + lookupRetryMs * (0.5 + chance));
}

function afterFinding(sending: Sending, lookup: Lookup, chance: number): RecordStep | ComeBackStep {
  const { intent, state, policy, now } = sending;
  const { report, listed } = lookup;
  // Refused because of what is no card any more, the enrolment has led to none, whatever the listing counts.
  const counted = isDead(report) && isRefusedOnly(state) ? 0 : listed;
  const seen = report.kind === 'absent' ? ({ kind: 'absent', listed: counted } as const) : report;
  const finding = findingOf(intent.command, policy.resolution, seen);
  const decision = decide(state, { type: 'RecordFinding', at: now, finding, policy, chance });
  if (decision.kind === 'events') return record(decision.events, countedEvidence(lookup));
  return comeBackAt('retry', state.status === 'unknown' ? nextFindingAt(state, { at: now, policy, chance }) : now);
}

/**
 * What the intent waited for may have come: its purchase, or a pass that the partner now does not show. Then it has not
 * waited for this pass in vain yet, and the wait begins anew. Where the partner has a pass, of whatever member, a lost
 * history may have changed it.
 */
function afterAbsence(sending: Sending, { report }: Lookup, chance: number): RecordStep | ComeBackStep {
  const { intent, state: before, known, policy, now } = sending;
  const isInVain = before.status === 'waiting' && before.for === 'pass' && known.pass !== 'known';
  const release = isInVain ? null : decide(before, { type: 'ReleaseIntent', at: now });
  const released = release?.kind === 'events' ? release.events : [];
  const state = released.reduce(evolve, before);
  const neverEnrolled = intent.neverEnrolled === true;
  const decision = decide(state, { type: 'AwaitPass', at: now, neverEnrolled, policy, chance });
  if (decision.kind === 'ignored') return comeBackAt('wait', nextRecheckAt(sending, state, chance));
  const ended = report.kind === 'absent' ? null : doubtInsteadOf(decision.events, sending);
  return ended ?? record([...released, ...decision.events], JSON.stringify(report.evidence));
}

function nextRecheckAt({ policy, now }: Sending, state: IntentState, chance: number): number {
  if (state.status !== 'waiting') return now;
  const deadline = state.recordedAt + policy.missingPassWaitMs;
  return passRecheckAt({ waitingSince: state.since, at: now, deadline, chance });
}

function isRefusedOnly(state: IntentState): boolean {
  const refused = attemptRefusedAsDuplicate(state);
  return state.status === 'unknown' && state.doubts.every((attempt) => attempt === refused);
}

/** The attempt that the partner refused because its member has a pass already; null: none was. */
export function attemptRefusedAsDuplicate(state: IntentState): number | null {
  return state.status === 'unknown' && state.code === duplicateIssueCode ? state.attempt : null;
}
