import type { WalletPass } from '#contracts';
import type { AttemptOutcome, IntentEvent, Lookup, Renewal, Sending } from '#intents/core';
import {
  attemptRefusedAsDuplicate,
  decideAnswer,
  decideLookup,
  meaningForAll,
  passAnswered,
  passNameOf,
  readLookup,
  requeuedOutcome,
} from '#intents/core';
import { renewalOfAnswered, renewalOfFound } from '#members';
import type { AttemptReport, LookupReport } from '#gateway';
import type { LaneCompletion } from '#intents';
import type { Random } from '#platform';

import { judgeAttempt, judgeLookup } from '../gate/judge-answer.js';
import { pauseReason } from '../gate/program-pauses.js';
import type { OpenCall } from './lease-table.js';
import { shownFor } from './lease-table.js';
import type { LaneMachine } from './lane-machine.js';
import type { LaneWork } from './lane-work.js';
import { afterCompletion, completionFor, completionOf, sendingOf } from './lane-work.js';
import type { DeliveryEvent } from './messages.js';
import { attemptObservation, stepObservation } from './observation.js';

type AttemptAnswer = Pick<Extract<DeliveryEvent, { type: 'AttemptAnswered' }>, 'report' | 'traceId'>;

/** In reports of calls that never became a request. */
export const noRequest = { method: '', path: '', body: null };

/** Begun but, for lack of time under its lease, never sent: so nothing can have happened. */
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

/** The partner's answer to a lookup of a pass. */
interface LookupAnswer {
  readonly report: LookupReport;
  /** Passes that the listing counts; null when it was not asked or gave no count. */
  readonly listed: number | null;
}

/** Has the core decide what the partner's answers mean, and passes that on to be recorded. */
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
    const answered = passAnswered(sent.intent, report);
    const { program, intent } = sent;
    const work = answered === null ? sent.work : withName(sent.work, answered);
    program.gate.answered(judgeAttempt(intent.operation, report), now, this.random.unit());
    const { outcome, phase, request, response } = report;
    const sending = sendingOf(program, work, intent, now);
    const events = this.eventsAfter({ ...sent, work }, sending, outcome);
    const shown = outcome.kind === 'unknown' ? shownFor(sent.work, intent.command) : {};
    const evidence = JSON.stringify({ phase, request, response, ...shown });
    const renewal = answered === null ? null : renewalAfterAnswer({ ...sent, work }, answered);
    const completion = withRenewal(completionOf(intent, events, evidence), renewal);
    const after = afterCompletion(work, completion);
    const observation = attemptObservation(program.name, { before: work, after }, { report, traceId, now, events });
    const answer = { seq: intent.seq, attempt: work.attempt, outcome, evidence, renewal };
    this.lanes.record({ program, work }, { completion, after, answer, observation }, now);
  }

  /**
   * What an outcome means for its intent. Where it meets one member after the other the configuration is broken: then the
   * operation is paused, and the intent requeued instead of parked.
   */
  private eventsAfter(
    { program, work, intent }: OpenCall,
    sending: Sending,
    outcome: AttemptOutcome,
  ): readonly IntentEvent[] {
    const { attempt, lane } = work;
    const { operation } = intent;
    const chance = this.random.unit();
    const events = decideAnswer(sending, { attempt, outcome }, chance);
    const meaning = meaningForAll(outcome, events);
    const verdict = meaning === null ? null : program.refusals.answered(operation, lane.laneId, meaning);
    if (verdict === null || verdict.kind === 'fine') return events;
    program.pauses.want({ operation, reason: pauseReason(operation, verdict) });
    const requeued = requeuedOutcome(sending, outcome);
    return requeued === null ? events : decideAnswer(sending, { attempt, outcome: requeued }, chance);
  }

  lookupAnswered(asked: OpenCall, { report, listed }: LookupAnswer, now: number): void {
    const { program, intent, purpose } = asked;
    const work = report.kind === 'found' ? withName(asked.work, report.pass) : asked.work;
    if (purpose === 'before') program.gate.finished();
    else program.gate.lookupFinished();
    program.gate.answered(judgeLookup(report), now, this.random.unit());
    if (purpose === 'probe' || purpose === 'send') {
      this.lanes.advance({ program, work }, now);
      return;
    }
    const sending = sendingOf(program, work, intent, now);
    const lookup: Lookup = { purpose, report, listed };
    const step = readLookup(sending, lookup) ?? decideLookup(sending, lookup, this.random.unit());
    if (step.kind === 'learned') {
      this.lanes.advance({ program, work: { ...work, ...step.known } }, now);
      return;
    }
    const found = report.kind === 'found' ? renewalAfterFinding({ ...asked, work }, report.pass, sending) : null;
    const completion = withRenewal(completionFor(intent, step), found);
    const after = afterCompletion(work, completion);
    const observation = stepObservation(program.name, { before: work, after }, { completion, now });
    this.lanes.record({ program, work }, { completion, after, answer: null, observation }, now);
  }
}

/** The lane with what the partner has shown of the pass's names. */
function withName(work: LaneWork, pass: WalletPass): LaneWork {
  return { ...work, named: passNameOf(pass) };
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

function renewalAfterFinding(call: OpenCall, pass: WalletPass, { state }: Sending): Renewal | null {
  const shown = shownPass(call, pass);
  if (shown === null || state.status === 'absent') return null;
  return renewalOfFound(shown, state, attemptRefusedAsDuplicate(state));
}

function renewalAfterAnswer(call: OpenCall, pass: WalletPass): Renewal | null {
  const shown = shownPass(call, pass);
  return shown === null ? null : renewalOfAnswered(shown, call.work.pass === 'known');
}
