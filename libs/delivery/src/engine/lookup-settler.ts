import type { IntentState, PassBefore } from '#domain';
import { comparePass, decide, needsPass, nextFindingAt, passRecheckAt } from '#domain';
import type { LookupReport } from '#gateway';
import type { LaneCompletion } from '#intents';
import type { Random } from '#platform';

import { judgeLookup } from '../gate/judge-answer.js';
import { policyOf } from '../policy.js';
import { withPass } from './attempt-settler.js';
import { comeBack, completionOf } from './completion.js';
import { findingOf, shownPoints, wantedContent } from './finding.js';
import type { OpenCall } from './lane-book.js';
import type { LaneSteps } from './lane-steps.js';
import type { LaneWork } from './lane-work.js';
import { afterCompletion, stateOf } from './lane-work.js';
import { stepObservation } from './observe.js';

/** How soon a lookup that failed is repeated, jittered; the gate rests longer when the partner is away. */
const lookupRetryMs = 1_000;

/** What the partner said when it was asked for a pass. */
interface LookupAnswer {
  readonly report: LookupReport;
  /** Passes that the listing counts; null when it was not asked, or could not tell. */
  readonly listed: number | null;
}

/** Turns what the partner shows of a pass into decisions and hands them on to be recorded. */
export class LookupSettler {
  constructor(
    private readonly lanes: LaneSteps,
    private readonly random: Pick<Random, 'unit'>,
  ) {}

  lookupAnswered(call: OpenCall, answer: LookupAnswer, now: number): void {
    const { desk, work } = call;
    const { report } = answer;
    if (call.purpose === 'before') desk.gate.finished();
    else desk.gate.lookupFinished();
    desk.gate.answered(judgeLookup(report), now, this.random.unit());
    const learned = learnedFrom(call, answer, now);
    if (learned !== null) {
      this.lanes.advance({ desk, work: { ...work, ...learned } }, now);
      return;
    }
    const completion = this.afterLookup(call, answer, now);
    const after = afterCompletion(work, completion);
    const observation = stepObservation(desk, { before: work, after }, { completion, now });
    this.lanes.record({ desk, work }, { completion, after, answer: null, observation }, now);
  }

  private afterLookup(call: OpenCall, answer: LookupAnswer, now: number): LaneCompletion {
    const { report } = answer;
    if (call.purpose === 'resolve') return this.afterFinding(call, answer, now);
    const evidence = JSON.stringify(report.evidence);
    switch (report.kind) {
      case 'found':
        return completionOf(call.intent.seq, [{ type: 'PassFound', at: now }], evidence);
      case 'failed':
        return comeBack('retry', now + lookupRetryMs * (0.5 + this.random.unit()));
      case 'absent':
        return isLeaver(call) ? leftWithoutPass(call, answer, now) : this.afterAbsence(call, evidence, now);
    }
  }

  private afterFinding(call: OpenCall, { report, listed }: LookupAnswer, now: number): LaneCompletion {
    const { desk, work, intent } = call;
    const state = stateOf(work, intent.seq);
    const policy = policyOf(desk.program, intent);
    const chance = this.random.unit();
    const finding = findingOf(intent.command, policy, { report, listed });
    const decision = decide(state, { type: 'RecordFinding', at: now, finding, policy, chance });
    if (decision.kind === 'ignored') {
      const dueAt = state.status === 'unknown' ? nextFindingAt(state, { at: now, policy, chance }) : now;
      return comeBack('retry', dueAt);
    }
    const evidence = JSON.stringify({ lookup: report.evidence, listed });
    return withPass(completionOf(intent.seq, decision.events, evidence), call);
  }

  private afterAbsence({ desk, work, intent }: OpenCall, evidence: string, now: number): LaneCompletion {
    const state = stateOf(work, intent.seq);
    const policy = policyOf(desk.program, intent);
    const chance = this.random.unit();
    const decision = decide(state, { type: 'AwaitPass', at: now, policy, chance });
    if (decision.kind === 'events') return completionOf(intent.seq, decision.events, evidence);
    return comeBack('wait', nextLookAt(state, { at: now, waitMs: policy.missingPassWaitMs, chance }));
  }
}

/** What is kept in mind for the next step, nothing to be recorded; null where something is. */
function learnedFrom(call: OpenCall, { report, listed }: LookupAnswer, now: number): Partial<LaneWork> | null {
  if (call.purpose === 'probe') return {};
  if (call.purpose === 'before') {
    const before = passBefore(call, report, now);
    return before === null ? null : { before };
  }
  return isLeaver(call) && report.kind === 'absent' && listed !== 0 ? { isPassDoubtful: true } : null;
}

/** A pass is asked for where one is needed, and where its member has left. */
function isLeaver({ intent, purpose }: OpenCall): boolean {
  return purpose === 'pass' && !needsPass(intent.operation);
}

/** There is nobody that the partner could be told of. */
function leftWithoutPass({ work, intent }: OpenCall, { report, listed }: LookupAnswer, now: number): LaneCompletion {
  const cancel = { type: 'CancelIntent', at: now, by: 'loyaltyd', reason: 'no-pass' } as const;
  const decision = decide(stateOf(work, intent.seq), cancel);
  if (decision.kind === 'ignored') return comeBack('retry', now);
  const evidence = JSON.stringify({ lookup: report.evidence, listed });
  const events = [{ type: 'PassAbsent', at: now } as const, ...decision.events];
  return { ...completionOf(intent.seq, events, evidence), pass: 'absent' };
}

/** What is to be compared with later; null when the partner could not say, or says that there is no pass to move. */
function passBefore({ intent, desk }: OpenCall, report: LookupReport, now: number): PassBefore | null {
  const content = wantedContent(intent.command);
  if (report.kind === 'absent') return content === null ? null : {};
  if (report.kind === 'failed') return null;
  const readAt = now - Math.ceil(report.evidence.durationMs);
  if (policyOf(desk.program, intent).resolution === 'probe-content' && content !== null) {
    return comparePass(content, report.pass) === 'differs' ? { differs: true, readAt } : {};
  }
  const points = shownPoints(report.pass);
  return points === null ? {} : { points, readAt };
}

function nextLookAt(
  state: IntentState,
  at: { readonly at: number; readonly waitMs: number; readonly chance: number },
): number {
  if (state.status !== 'waiting') return at.at;
  const deadline = state.recordedAt + at.waitMs;
  return passRecheckAt({ waitingSince: state.since, at: at.at, deadline, chance: at.chance });
}
