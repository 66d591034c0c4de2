import { decide } from '#domain';
import type { LaneCompletion } from '#intents';
import type { Random } from '#platform';

import { judgeAttempt } from '../gate/judge-answer.js';
import { policyOf } from '../policy.js';
import { completionOf } from './completion.js';
import type { DeliveryEvent } from './delivery-event.js';
import type { OpenCall } from './lane-book.js';
import type { LaneSteps } from './lane-steps.js';
import { afterCompletion, stateOf } from './lane-work.js';
import { attemptObservation } from './observe.js';
import { isRefusedForAll, putBack } from './refused-for-all.js';

type AttemptAnswer = Pick<Extract<DeliveryEvent, { type: 'AttemptAnswered' }>, 'report' | 'traceId'>;

/** Turns the partner's answers into decisions and hands them on to be recorded. */
export class AttemptSettler {
  constructor(
    private readonly lanes: LaneSteps,
    private readonly random: Pick<Random, 'unit'>,
  ) {}

  attemptAnswered(call: OpenCall, { report, traceId }: AttemptAnswer, now: number): void {
    const { desk, work, intent } = call;
    desk.gate.finished();
    desk.gate.answered(judgeAttempt(intent.operation, report), now, this.random.unit());
    const { outcome } = report;
    const state = stateOf(work, intent.seq);
    const drawn = {
      at: now,
      attempt: work.attempt,
      policy: policyOf(desk.program, intent),
      chance: this.random.unit(),
    };
    const decided = decide(state, { type: 'RecordOutcome', outcome, ...drawn });
    const isForAll = isRefusedForAll(call, outcome, decided);
    const decision = isForAll ? decide(state, { type: 'RecordOutcome', outcome: putBack(outcome), ...drawn }) : decided;
    if (decision.kind === 'ignored') throw new Error(`an attempt's outcome was ignored: ${decision.reason}`);
    const evidence = JSON.stringify({ phase: report.phase, request: report.request, response: report.response });
    const completion = withPass(completionOf(intent.seq, decision.events, evidence), call);
    const after = afterCompletion(work, completion);
    const lanes = { before: work, after };
    const { events } = decision;
    const observation = attemptObservation(desk, lanes, { report, traceId, now, events });
    const answer = { seq: intent.seq, attempt: work.attempt, outcome, evidence };
    this.lanes.record({ desk, work }, { completion, after, answer, observation }, now);
  }
}

/** Whatever took effect for a member proves that the pass exists; a schedule only says that it was accepted. */
export function withPass(completion: LaneCompletion, { intent }: Pick<OpenCall, 'intent'>): LaneCompletion {
  const isApplied = completion.events.some(
    ({ event }) =>
      event.type === 'AttemptApplied' || (event.type === 'VerifiedApplied' && event.evidence !== 'late-outcome'),
  );
  return isApplied && intent.operation !== 'schedule-update' ? { ...completion, pass: 'known' } : completion;
}
