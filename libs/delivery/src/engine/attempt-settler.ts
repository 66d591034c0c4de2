import { decide } from '#domain';
import type { AttemptReport } from '#gateway';
import type { LaneCompletion } from '#intents';
import type { Random } from '#platform';

import { sentTooLateCode } from '../broken-call.js';
import { policyOf } from '../policy.js';
import { completionOf } from './completion.js';
import type { OpenCall } from './lane-book.js';
import type { LaneSteps } from './lane-steps.js';
import { afterCompletion, stateOf } from './lane-work.js';
import { attemptObservation } from './observe.js';
import { tellGate } from './tell-gate.js';

/** How long a program rests after a 429 that names no time. */
const tooManyRestMs = 1_000;

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
    if (isSent)
      {tellGate(
        desk,
        { isHealthy: isHealthy(report), retryAfterMs: restAskedFor(report) },
        { now, chance: this.random.unit() },
      );}
    const decision = decide(stateOf(work, intent.seq), {
      type: 'RecordOutcome',
      at: now,
      attempt: work.attempt,
      outcome,
      policy: policyOf(desk.program, intent),
      chance: this.random.unit(),
    });
    if (decision.kind === 'ignored') throw new Error(`an attempt's outcome was ignored: ${decision.reason}`);
    const evidence = JSON.stringify({ phase: report.phase, request: report.request, response: report.response });
    const completion = withPass(completionOf(intent.seq, decision.events, evidence), call);
    const after = afterCompletion(work, completion);
    const lanes = { before: work, after };
    const { events } = decision;
    const observation = attemptObservation(desk, lanes, { report, now, events });
    const answer = { seq: intent.seq, attempt: work.attempt, outcome, evidence };
    this.lanes.record({ desk, work }, { completion, after, answer, observation }, now);
  }
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

/** Whatever took effect for a member proves that the pass exists; a schedule only says that it was accepted. */
export function withPass(completion: LaneCompletion, { intent }: Pick<OpenCall, 'intent'>): LaneCompletion {
  const isApplied = completion.events.some(
    ({ event }) => event.type === 'AttemptApplied' || event.type === 'VerifiedApplied',
  );
  return isApplied && intent.operation !== 'schedule-update' ? { ...completion, pass: 'known' } : completion;
}
