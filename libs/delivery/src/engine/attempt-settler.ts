import type { IntentEvent, IntentState } from '#domain';
import { decide, passRecheckAt, retryAfterMsMax } from '#domain';
import type { AttemptReport, LookupReport } from '#gateway';
import type { LaneCompletion } from '#intents';
import type { Random } from '#platform';

import { sentTooLateCode } from '../broken-call.js';
import { policyOf } from '../policy.js';
import { comeBack, completionOf } from './completion.js';
import type { OpenCall } from './lane-book.js';
import type { LaneSteps } from './lane-steps.js';
import { afterCompletion, stateOf } from './lane-work.js';
import { attemptObservation, parkObservation } from './observe.js';

/** How soon a lookup that failed is repeated, jittered; the gate rests longer when the partner is away. */
const lookupRetryMs = 1_000;

/** How long a program rests after a 429 that names no time. */
const tooManyRestMs = 1_000;

function retryAtOf(events: readonly IntentEvent[]): number | null {
  const retry = events.find((event) => event.type === 'AttemptNotApplied');
  return retry?.type === 'AttemptNotApplied' ? retry.retryAt : null;
}

/** Turns the partner's answers into decisions and hands them on to be recorded. */
export class AttemptSettler {
  constructor(
    private readonly lanes: LaneSteps,
    private readonly random: Pick<Random, 'unit'>,
  ) {}

  attemptAnswered(call: OpenCall, report: AttemptReport<unknown>, now: number): void {
    const { desk, work, intent } = call;
    const { outcome } = report;
    desk.gate.finished();
    // A request that we ourselves held back says nothing about the partner.
    const isSent = outcome.kind !== 'not-applied' || outcome.code !== sentTooLateCode;
    if (isSent) this.tellGate(call, { isHealthy: isHealthy(report), retryAfterMs: restAskedFor(report) }, now);
    const decision = decide(stateOf(work, intent.seq), {
      type: 'RecordOutcome',
      at: now,
      attempt: work.attempt,
      outcome,
      policy: policyOf(desk.program, intent.operation),
      chance: this.random.unit(),
    });
    if (decision.kind === 'ignored') throw new Error(`an attempt's outcome was ignored: ${decision.reason}`);
    const evidence = JSON.stringify({ phase: report.phase, request: report.request, response: report.response });
    const completion = withPass(completionOf(intent.seq, decision.events, evidence), call, outcome.kind === 'applied');
    const after = afterCompletion(work, completion);
    const lanes = { before: work, after };
    const retryAt = retryAtOf(decision.events);
    const observation = attemptObservation(desk, lanes, { report, now, retryAt });
    const answer = { seq: intent.seq, attempt: work.attempt, outcome, evidence };
    this.lanes.record({ desk, work }, { completion, after, answer, observation }, now);
  }

  lookupAnswered(call: OpenCall, report: LookupReport, now: number): void {
    const { desk, work } = call;
    desk.gate.lookupFinished();
    const retryAfterMs = report.kind === 'failed' ? report.retryAfterMs : null;
    this.tellGate(call, { isHealthy: report.kind !== 'failed', retryAfterMs }, now);
    const completion = this.afterLookup(call, report, now);
    const observation = parkObservation(desk, work, completion);
    this.lanes.record({ desk, work }, { completion, answer: null, observation }, now);
  }

  private afterLookup(call: OpenCall, report: LookupReport, now: number): LaneCompletion {
    const { seq } = call.intent;
    const evidence = JSON.stringify(report.evidence);
    switch (report.kind) {
      case 'found':
        return { ...completionOf(seq, [{ type: 'PassFound', at: now }], evidence), pass: 'known' };
      case 'failed':
        return comeBack('retry', now + lookupRetryMs * (0.5 + this.random.unit()));
      case 'absent':
        return this.afterAbsence(call, evidence, now);
    }
  }

  private afterAbsence({ desk, work, intent }: OpenCall, evidence: string, now: number): LaneCompletion {
    const state = stateOf(work, intent.seq);
    const policy = policyOf(desk.program, intent.operation);
    const chance = this.random.unit();
    const decision = decide(state, { type: 'AwaitPass', at: now, policy, chance });
    if (decision.kind === 'events') return completionOf(intent.seq, decision.events, evidence);
    return comeBack('wait', nextLookAt(state, { at: now, waitMs: policy.missingPassWaitMs, chance }));
  }

  private tellGate(
    { desk }: OpenCall,
    seen: { readonly isHealthy: boolean; readonly retryAfterMs: number | null },
    now: number,
  ): void {
    if (seen.isHealthy) desk.gate.reached();
    else desk.gate.missed(now, this.random.unit());
    if (seen.retryAfterMs !== null) desk.gate.restUntil(now + Math.min(seen.retryAfterMs, retryAfterMsMax));
  }
}

function nextLookAt(
  state: IntentState,
  at: { readonly at: number; readonly waitMs: number; readonly chance: number },
): number {
  if (state.status !== 'waiting') return at.at;
  const deadline = state.recordedAt + at.waitMs;
  return passRecheckAt({ waitingSince: state.since, at: at.at, deadline, chance: at.chance });
}

/**
 * Whether the partner did its work. Unknown outcomes in a row (5xx, timeouts) and refusals that meet everybody close the
 * gate for a while: an outage must cost a few parked intents, not the backlog.
 */
function isHealthy({ phase, outcome }: AttemptReport<unknown>): boolean {
  if (outcome.kind === 'rejected') return true;
  if (phase !== 'answered' || outcome.kind === 'unknown') return false;
  return outcome.kind !== 'not-applied' || !outcome.systemic;
}

/** The rest that the partner asked for; after a 429 without Retry-After a short one of ours. */
function restAskedFor({ outcome }: AttemptReport<unknown>): number | null {
  if (outcome.kind === 'applied' || outcome.kind === 'rejected') return null;
  return outcome.retryAfterMs ?? (outcome.code === 'too-many-requests' ? tooManyRestMs : null);
}

/** Whatever the partner took for a member proves that the pass exists; a schedule only says that it was accepted. */
function withPass(completion: LaneCompletion, { intent }: OpenCall, isApplied: boolean): LaneCompletion {
  return isApplied && intent.operation !== 'schedule-update' ? { ...completion, pass: 'known' } : completion;
}
