import type { AttemptOutcome, Operation } from '#domain';
import { decide } from '#domain';
import type { AttemptReport } from '#gateway';
import type { LaneCompletion } from '#intents';
import type { Random } from '#platform';

import { judgeAttempt } from '../gate/judge-answer.js';
import type { StreakVerdict } from '../gate/refusal-streaks.js';
import { policyOf } from '../policy.js';
import { completionOf } from './completion.js';
import type { OpenCall } from './lane-book.js';
import type { LaneSteps } from './lane-steps.js';
import { afterCompletion, stateOf } from './lane-work.js';
import { attemptObservation } from './observe.js';

/** Turns the partner's answers into decisions and hands them on to be recorded. */
export class AttemptSettler {
  constructor(
    private readonly lanes: LaneSteps,
    private readonly random: Pick<Random, 'unit'>,
  ) {}

  attemptAnswered(call: OpenCall, report: AttemptReport<unknown>, now: number): void {
    const { desk, work, intent } = call;
    desk.gate.finished();
    desk.gate.answered(judgeAttempt(intent.operation, report), now, this.random.unit());
    const outcome = this.heldBack(call, report.outcome);
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

  /**
   * A refusal that meets one member after the other is a broken configuration: the operation is paused, and this intent
   * is put back instead of parked. Nothing is put back whose earlier attempt may have taken effect.
   */
  private heldBack({ desk, work, intent }: OpenCall, outcome: AttemptOutcome): AttemptOutcome {
    const { operation, seq } = intent;
    const verdict = desk.refusals.answered(operation, work.lane.laneId, outcome);
    if (verdict.kind === 'fine') return outcome;
    desk.pauses.want({ operation, reason: pauseReason(operation, verdict) });
    const state = stateOf(work, seq);
    const isDoubtful = state.status !== 'absent' && state.hadUnknown;
    if (outcome.kind !== 'rejected' || isDoubtful) return outcome;
    return { kind: 'not-applied', code: outcome.code, answered: false, systemic: true, retryAfterMs: null };
  }
}

type Broken = Extract<StreakVerdict, { kind: 'broken' }>;

/** Without the partner's words: they may be about a person. */
function pauseReason(operation: Operation, { code, members }: Broken): string {
  return `the partner refused ${operation} for ${members} members in a row for the same reason (${code})`;
}

/** Whatever took effect for a member proves that the pass exists; a schedule only says that it was accepted. */
export function withPass(completion: LaneCompletion, { intent }: Pick<OpenCall, 'intent'>): LaneCompletion {
  const isApplied = completion.events.some(
    ({ event }) =>
      event.type === 'AttemptApplied' || (event.type === 'VerifiedApplied' && event.evidence !== 'late-outcome'),
  );
  return isApplied && intent.operation !== 'schedule-update' ? { ...completion, pass: 'known' } : completion;
}
