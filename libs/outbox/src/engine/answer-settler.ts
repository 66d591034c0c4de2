import type { WalletPass } from '#contracts';
import type { AttemptOutcome, Decision, IntentState, Operation, PassBefore, SeenPass, Renewal } from '#intents/core';
import {
  answeredOtherwiseCode,
  comparePass,
  decide,
  duplicateIssueCode,
  evolve,
  findingOf,
  groupOf,
  isUnprovenCode,
  nextFindingAt,
  passNameOf,
  passRecheckAt,
  passShownBy,
  policyOf,
  shownPoints,
  wantedContent,
} from '#intents/core';
import { renewalOfAnswered, renewalOfFound } from '#members';
import type { AttemptReport, LookupReport } from '#gateway';
import type { LaneCompletion } from '#intents';
import type { Random } from '#platform';

import { judgeAttempt, judgeLookup } from '../gate/judge-answer.js';
import type { StreakVerdict } from '../gate/program-pauses.js';
import type { OpenCall } from './lease-table.js';
import { shownFor } from './lease-table.js';
import type { LaneMachine } from './lane-machine.js';
import type { LaneWork } from './lane-work.js';
import { afterCompletion, comeBack, completionOf, stateOf } from './lane-work.js';
import type { DeliveryEvent } from './messages.js';
import { endForgotten, hadPass, isLeaving } from './next-action.js';
import { attemptObservation, stepObservation } from './observation.js';

type AttemptAnswer = Pick<Extract<DeliveryEvent, { type: 'AttemptAnswered' }>, 'report' | 'traceId'>;

/** In reports of calls that never became a request. */
export const noRequest = { method: '', path: '', body: null };

/** Begun but, for lack of time under its lease, never handed over: nothing was sent, so nothing can have happened. */
export const sentTooLate: AttemptReport<unknown> = {
  outcome: {
    kind: 'not-applied',
    code: 'send-window-missed',
    answered: false,
    systemic: false,
    retryAfterMs: null,
  },
  stage: 'request',
  phase: 'not-sent',
  durationMs: 0,
  request: noRequest,
  response: null,
  value: null,
  shapeAlarms: [],
};

/** How soon a lookup that failed is repeated, jittered; the gate stays closed longer when the partner is away. */
const lookupRetryMs = 1_000;

/**
 * Answers that tell of passes, none of which is known to be the member's: asked again at once the partner would say the same.
 * Such a lane waits as one without a pass, and parks with what was seen.
 */
const notTheirs: ReadonlySet<string> = new Set(['foreign-pass', 'several-passes']);

/** The partner's answer to a lookup of a pass. */
interface LookupAnswer {
  readonly report: LookupReport;
  /** Passes that the listing counts; null when it was not asked or gave no count. */
  readonly listed: number | null;
}

/** Turns the partner's answers and lookups into decisions, and passes these on to be recorded. */
export class AnswerSettler {
  constructor(
    private readonly lanes: LaneMachine,
    private readonly random: Pick<Random, 'unit'>,
  ) {}

  attemptAnswered(sent: OpenCall, answer: AttemptAnswer, now: number): void {
    sent.program.gate.finished();
    this.settle(sent, answer, now);
  }

  /** Begun and recorded, but no call before it has ended in time. */
  attemptLapsed(begun: OpenCall, now: number): void {
    begun.program.gate.withdrawn();
    this.settle(begun, { report: sentTooLate }, now);
  }

  private settle(sent: OpenCall, { report, traceId }: AttemptAnswer, now: number): void {
    const call = { ...sent, work: withAnsweredName(sent, report) };
    const { program, work, intent } = call;
    program.gate.answered(judgeAttempt(intent.operation, report), now, this.random.unit());
    const { outcome } = report;
    const state = stateOf(work, intent.seq);
    const drawn = {
      at: now,
      attempt: work.attempt,
      policy: policyOf(program.config, intent),
      chance: this.random.unit(),
    };
    const decided = decide(state, { type: 'RecordOutcome', outcome, ...drawn });
    const isForAll = isRefusedForAll(call, outcome, decided);
    const decision = isForAll
      ? decide(state, { type: 'RecordOutcome', outcome: requeued(outcome), ...drawn })
      : decided;
    if (decision.kind === 'ignored') throw new Error(`an attempt's outcome was ignored: ${decision.reason}`);
    const { phase, request, response } = report;
    const shown = outcome.kind === 'unknown' ? shownFor(sent.work, intent.command) : {};
    const evidence = JSON.stringify({ phase, request, response, ...shown });
    const renewal = renewalAfterAnswer(call, report);
    const completion = withRenewal(withPass(completionOf(intent.seq, decision.events, evidence), call), renewal);
    const after = afterCompletion(work, completion);
    const lanes = { before: work, after };
    const { events } = decision;
    const observation = attemptObservation(program.name, lanes, { report, traceId, now, events });
    const answer = { seq: intent.seq, attempt: work.attempt, outcome, evidence, renewal };
    this.lanes.record({ program, work }, { completion, after, answer, observation }, now);
  }

  lookupAnswered(asked: OpenCall, answer: LookupAnswer, now: number): void {
    const { report } = answer;
    const call = { ...asked, work: withName(asked.work, report) };
    const { program, work } = call;
    if (call.purpose === 'before') program.gate.finished();
    else program.gate.lookupFinished();
    program.gate.answered(judgeLookup(report), now, this.random.unit());
    const learned = learnedFrom(call, answer, now);
    if (learned !== null) {
      this.lanes.advance({ program, work: { ...work, ...learned } }, now);
      return;
    }
    const completion = this.afterLookup(call, answer, now);
    const after = afterCompletion(work, completion);
    const observation = stepObservation(program.name, { before: work, after }, { completion, now });
    this.lanes.record({ program, work }, { completion, after, answer: null, observation }, now);
  }

  private afterLookup(call: OpenCall, answer: LookupAnswer, now: number): LaneCompletion {
    const { report } = answer;
    if (call.purpose === 'resolve') return this.afterFinding(call, answer, now);
    if (call.purpose === 'issue') return this.beforeIssue(call, report, now);
    const evidence = JSON.stringify(report.evidence);
    switch (report.kind) {
      case 'found':
        return completionOf(call.intent.seq, [{ type: 'PassFound', at: now }], evidence);
      case 'failed':
        if (notTheirs.has(report.code)) return this.afterAbsence(call, { evidence, isNone: false }, now);
        return this.askAgain(now);
      case 'absent':
        if (isLeaving(call) && answer.listed === null) return this.askAgain(now);
        return hasNoAddressee(call, answer, now)
          ? leftWithoutPass(call, answer, now)
          : this.afterAbsence(call, { evidence, isNone: true }, now);
    }
  }

  /** A pass that is there is told what its enrolment says, and none is issued. */
  private beforeIssue(call: OpenCall, report: LookupReport, now: number): LaneCompletion {
    const { program, work, intent } = call;
    const isOnlyOne = report.kind === 'found';
    if (!isOnlyOne && !(report.kind === 'failed' && notTheirs.has(report.code))) {
      return this.askForIssueAgain(call, now);
    }
    const drawn = { at: now, policy: policyOf(program.config, intent), chance: this.random.unit() };
    const decision = decide(stateOf(work, intent.seq), { type: 'RecordPassThere', isOnlyOne, ...drawn });
    if (decision.kind === 'ignored') throw new Error(`what was found before an issue was ignored: ${decision.reason}`);
    const evidence = JSON.stringify({ lookup: report.evidence, listed: null });
    const completion = withPass(completionOf(intent.seq, decision.events, evidence), call);
    return withRenewal(completion, renewalAfterFinding(call, report));
  }

  /** The longer a pass is not proved to be gone, the rarer: the count may contradict the lookup for long. */
  private askForIssueAgain({ work, intent }: OpenCall, now: number): LaneCompletion {
    const state = stateOf(work, intent.seq);
    if (!hadPass(state) || state.status === 'absent') return this.askAgain(now);
    const waitingSince = Math.min(now, state.triedSince);
    return comeBack('retry', passRecheckAt({ waitingSince, at: now, deadline: Infinity, chance: this.random.unit() }));
  }

  private askAgain(now: number): LaneCompletion {
    return comeBack('retry', now + lookupRetryMs * (0.5 + this.random.unit()));
  }

  private afterFinding(call: OpenCall, { report, listed }: LookupAnswer, now: number): LaneCompletion {
    const { program, work, intent } = call;
    const state = stateOf(work, intent.seq);
    const policy = policyOf(program.config, intent);
    const chance = this.random.unit();
    const finding = findingOf(intent.command, policy.resolution, seenIn(report, listed));
    const decision = decide(state, { type: 'RecordFinding', at: now, finding, policy, chance });
    if (decision.kind === 'ignored') {
      const dueAt = state.status === 'unknown' ? nextFindingAt(state, { at: now, policy, chance }) : now;
      return comeBack('retry', dueAt);
    }
    const evidence = JSON.stringify({ lookup: report.evidence, listed });
    const completion = withPass(completionOf(intent.seq, decision.events, evidence), call);
    return withRenewal(completion, finding.kind === 'pass-found' ? renewalAfterFinding(call, report) : null);
  }

  /**
   * What the intent waited for may have come: its purchase, or a pass that the partner now does not show. Then it has not
   * waited for this pass in vain yet, and the wait begins anew. Where there is a pass, of whomever, a lost history may have
   * found its way to one.
   */
  private afterAbsence(
    { program, work, intent }: OpenCall,
    { evidence, isNone }: { readonly evidence: string; readonly isNone: boolean },
    now: number,
  ): LaneCompletion {
    const before = stateOf(work, intent.seq);
    const isInVain = before.status === 'waiting' && before.for === 'pass' && work.pass !== 'known';
    const release = isInVain ? null : decide(before, { type: 'ReleaseIntent', at: now });
    const released = release?.kind === 'events' ? release.events : [];
    const state = released.reduce(evolve, before);
    const policy = policyOf(program.config, intent);
    const chance = this.random.unit();
    const neverEnrolled = intent.neverEnrolled === true;
    const decision = decide(state, { type: 'AwaitPass', at: now, neverEnrolled, policy, chance });
    if (decision.kind === 'events') {
      const ended = isNone ? null : endForgotten({ work, intent, policy, now }, decision.events);
      return ended ?? completionOf(intent.seq, [...released, ...decision.events], evidence);
    }
    return comeBack('wait', nextRecheckAt(state, { at: now, waitMs: policy.missingPassWaitMs, chance }));
  }
}

/** The lane with what the lookup has shown of the pass's names. */
function withName(work: LaneWork, report: LookupReport): LaneWork {
  return report.kind === 'found' ? { ...work, named: passNameOf(report.pass) } : work;
}

function withAnsweredName({ work, intent }: OpenCall, { outcome, value }: AttemptReport<unknown>): LaneWork {
  const isShown = outcome.kind === 'applied' && groupOf(intent.operation) === 'issue' && value !== null;
  return isShown ? { ...work, named: passNameOf(value as WalletPass) } : work;
}

/** What took effect, or was found, proves that there is a pass. */
function withPass(completion: LaneCompletion, { intent }: Pick<OpenCall, 'intent'>): LaneCompletion {
  const isShown = completion.events.some(({ event }) => passShownBy(event, intent.operation) === 'known');
  return isShown ? { ...completion, pass: 'known' } : completion;
}

/** What an enrolment says follows as an update where it has found a pass instead of making one. */
function withRenewal(completion: LaneCompletion, renewal: Renewal | null): LaneCompletion {
  return renewal !== null && completion.kind === 'settle' ? { ...completion, renewal } : completion;
}

function shownPass({ program, work, intent }: OpenCall, pass: WalletPass) {
  const { command, seq } = intent;
  if (command === null) return null;
  return { command, pass, program: program.config, scheduledName: `loyaltyd ${work.lane.laneId}/${seq}` };
}

function renewalAfterFinding(call: OpenCall, report: LookupReport): Renewal | null {
  const state = stateOf(call.work, call.intent.seq);
  const shown = report.kind === 'found' ? shownPass(call, report.pass) : null;
  if (shown === null || state.status === 'absent') return null;
  const isRefused = state.status === 'unknown' && state.code === duplicateIssueCode;
  return renewalOfFound(shown, state, isRefused ? state.attempt : null);
}

function renewalAfterAnswer(call: OpenCall, { outcome, value }: AttemptReport<unknown>): Renewal | null {
  if (outcome.kind !== 'applied' || groupOf(call.intent.operation) !== 'issue' || value === null) return null;
  const shown = shownPass(call, value as WalletPass);
  return shown === null ? null : renewalOfAnswered(shown, call.work.pass === 'known');
}

/**
 * Whether an outcome is one in a row that meets one member after the other: then the configuration is broken, the
 * operation is paused, and the intent is to be requeued instead of parked. Nothing is requeued that may have taken
 * effect: an earlier attempt in doubt, or this one, answered with a yes that proves nothing.
 */
function isRefusedForAll(call: OpenCall, outcome: AttemptOutcome, decision: Decision): boolean {
  const { program, work, intent } = call;
  const { operation, seq } = intent;
  const seen = meaningOf(outcome, decision);
  const verdict: StreakVerdict =
    seen === null ? { kind: 'fine' } : program.refusals.answered(operation, work.lane.laneId, seen);
  if (verdict.kind === 'fine') return false;
  program.pauses.want({ operation, reason: pauseReason(operation, verdict) });
  const state = stateOf(work, seq);
  return outcome.kind === 'rejected' && (state.status === 'absent' || !state.hadUnknown);
}

/** As if the partner had not been asked: it comes back when the pause is lifted, and no try is used up. */
function requeued(outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'rejected') return outcome;
  return { kind: 'not-applied', code: outcome.code, answered: false, systemic: true, retryAfterMs: null };
}

/**
 * A refusal says that something is broken only where the intent ends by it: a duplicate may prove that an earlier attempt
 * was applied, or that the pass must be looked up. After a crash there are as many of these in a row as calls were open.
 */
function meaningOf(outcome: AttemptOutcome, decision: Decision): AttemptOutcome | null {
  if (outcome.kind !== 'rejected' || decision.kind === 'ignored') return outcome;
  const { events } = decision;
  if (events.some(({ type }) => type === 'VerifiedApplied')) return { kind: 'applied' };
  if (!events.some(({ type }) => type === 'IntentParked')) return null;
  // The history may say what the refusal means: of a pass that was found it is no lack.
  const as = events.find(({ type }) => type === 'AttemptRejected');
  return as?.type === 'AttemptRejected' ? { ...outcome, code: as.code } : outcome;
}

/** Without the partner's message: it may name a person. */
function pauseReason(operation: Operation, { code, members }: Extract<StreakVerdict, { kind: 'broken' }>): string {
  const inARow = `for ${members} members in a row`;
  if (code === answeredOtherwiseCode) {
    return `the partner answered ${operation} ${inARow} otherwise than asked (${code})`;
  }
  return isUnprovenCode(code)
    ? `the partner answered ${operation} ${inARow} with what proves nothing (${code})`
    : `the partner refused ${operation} ${inARow} for the same reason (${code})`;
}

/** The lane with what the lookup showed, where nothing is to be recorded; null where something is. */
function learnedFrom(call: OpenCall, { report, listed }: LookupAnswer, now: number): Partial<LaneWork> | null {
  if (call.purpose === 'probe') return {};
  if (call.purpose === 'name') return report.kind === 'found' ? { isNameAsked: true } : null;
  if (call.purpose === 'before') {
    const before = passBefore(call, report, now);
    return before === null ? null : { before };
  }
  const isToBeSent =
    call.purpose === 'issue' ? mayIssue(call, { report, listed }, now) : call.purpose === 'pass' && (listed ?? 0) > 0;
  return isToBeSent ? { isPassAsked: true } : null;
}

/** In the place of a pass that was there only once nothing of it can show any more, and lookup and count deny it. */
function mayIssue({ program, work, intent }: OpenCall, { report, listed }: LookupAnswer, now: number): boolean {
  const state = stateOf(work, intent.seq);
  if (!hadPass(state) || state.status === 'absent') return hasNoPass(report);
  return report.kind === 'absent' && listed === 0 && now >= (state.appliedAt ?? 0) + program.config.inFlightMs;
}

/** The partner knows of no pass that is theirs. */
function hasNoPass(report: LookupReport): boolean {
  return report.kind === 'absent' || (report.kind === 'failed' && report.code === 'foreign-pass');
}

/**
 * Whether who leaves has no pass: lookup and count both deny it, and nothing of the lane can make one any more. An enrolment
 * before it has ended when the wait began.
 */
function hasNoAddressee({ program, work, intent }: OpenCall, { listed }: LookupAnswer, now: number): boolean {
  if (listed !== 0 || !isLeaving({ work, intent })) return false;
  const state = stateOf(work, intent.seq);
  const hasWaited = state.status === 'waiting' && now >= state.since + program.config.inFlightMs;
  return intent.neverEnrolled === true || hasWaited;
}

/** The partner has no pass of this member, so an opt-out has no addressee. */
function leftWithoutPass({ work, intent }: OpenCall, { report, listed }: LookupAnswer, now: number): LaneCompletion {
  const cancel = { type: 'CancelIntent', at: now, by: 'loyaltyd', reason: 'no-pass' } as const;
  const decision = decide(stateOf(work, intent.seq), cancel);
  if (decision.kind === 'ignored') return comeBack('retry', now);
  const evidence = JSON.stringify({ lookup: report.evidence, listed });
  const events = [{ type: 'PassAbsent', at: now } as const, ...decision.events];
  return { ...completionOf(intent.seq, events, evidence), pass: 'absent' };
}

/** The values to compare with later; null when the lookup failed, or found no pass. */
function passBefore({ intent, program }: OpenCall, report: LookupReport, now: number): PassBefore | null {
  if (report.kind !== 'found') return null;
  const content = wantedContent(intent.command);
  const readAt = now - Math.ceil(report.evidence.durationMs);
  if (policyOf(program.config, intent).resolution === 'probe-content' && content !== null) {
    return comparePass(content, report.pass) === 'differs' ? { differs: true, readAt } : {};
  }
  const points = shownPoints(report.pass);
  return points === null ? {} : { points, readAt };
}

function nextRecheckAt(
  state: IntentState,
  at: { readonly at: number; readonly waitMs: number; readonly chance: number },
): number {
  if (state.status !== 'waiting') return at.at;
  const deadline = state.recordedAt + at.waitMs;
  return passRecheckAt({ waitingSince: state.since, at: at.at, deadline, chance: at.chance });
}

function seenIn(report: LookupReport, listed: number | null): SeenPass {
  return report.kind === 'absent' ? { kind: 'absent', listed } : report;
}
