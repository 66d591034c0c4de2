import type { IntentEvent, LaneCursor, PassBefore } from '#domain';
import { settleCurrent } from '#domain';

import type { EventRow, LaneRow } from '../history/lane-history.js';
import type { ModelLane } from './model-lane.js';
import { append } from './model-lane.js';
import type { Bug } from './plan.js';

/** What becomes of the lane's current intent (`LaneCompletion` of the house). */
export interface Completion {
  readonly kind: 'settle' | 'retry' | 'wait' | 'await' | 'block' | 'stay';
  readonly dueAt: number;
  readonly pass: LaneRow['pass'] | null;
  readonly events: readonly IntentEvent[];
}

export interface Begin {
  readonly seq: number;
  readonly attempt: number;
  readonly at: number;
  readonly leaseUntil: number;
  readonly before: PassBefore | null;
}

/** One compare-and-set of a lease holder. */
export interface ModelStep {
  readonly laneId: number;
  readonly epoch: number;
  readonly seq: number;
  readonly attempt: number;
  readonly attemptOpen: boolean;
  readonly revision: number;
  readonly completion: Completion | null;
  readonly begin: Begin | null;
  readonly tellsAnswer: boolean;
  readonly requestId: string | null;
}

export interface StepResult {
  readonly completed: boolean;
  readonly begun: boolean;
}

const move = (kind: Completion['kind'], dueAt = 0, pass: Completion['pass'] = null): Omit<Completion, 'events'> => ({
  kind,
  dueAt,
  pass,
});

/** What one event means for the lane; null: nothing. */
function moveOf(event: IntentEvent): Omit<Completion, 'events'> | null {
  switch (event.type) {
    case 'AttemptApplied':
    case 'VerifiedApplied':
    case 'IntentCancelled':
      return move('settle');
    case 'AttemptNotApplied':
      return move('retry', event.retryAt);
    case 'AttemptUnknown':
      return event.checkAt === null ? null : move('retry', event.checkAt);
    case 'ProbeRead':
      return move('retry', event.checkAt);
    case 'WaitingBegan':
      return event.for === 'pass' ? move('wait', event.recheckAt, 'absent') : move('await', event.recheckAt);
    case 'IntentParked':
      return move(event.lane === 'block' ? 'block' : 'settle');
    case 'PassFound':
      return move('stay', 0, 'known');
    default:
      return null;
  }
}

export function completionOf(events: readonly IntentEvent[], isPassProof = true): Completion {
  const last = events.map(moveOf).findLast((found) => found !== null) ?? move('stay');
  const isApplied = events.some(
    (event) =>
      event.type === 'AttemptApplied' || (event.type === 'VerifiedApplied' && event.evidence !== 'late-outcome'),
  );
  return { ...last, ...(isApplied && isPassProof ? { pass: 'known' as const } : {}), events };
}

/** `record-steps` in words, for one lane. */
export function takeStep(
  lane: ModelLane,
  step: ModelStep,
  { now, bug }: { readonly now: number; readonly bug: Bug | null },
): StepResult {
  const isUnchecked = bug === 'no-compare-and-set';
  if (!isUnchecked && !fits(lane, step)) return { completed: false, begun: false };
  const isRevised = lane.revision !== step.revision;
  const overtakes = isOvertaken(lane, step);
  const cursor = cursorAfter(lane, step, { overtakes, bug });
  const completed = step.completion !== null && (step.tellsAnswer || !isRevised || bug === 'decided-without-reading');
  const begun = (!isRevised || bug === 'revision-ignored') && mayBegin(step, cursor, now);
  if (!completed && !begun) return { completed, begun };
  grant(lane, { step, begun, overtakes, cursor, now, bug });
  const epoch = step.epoch - (bug === 'wrong-epoch' ? 1 : 0);
  const told: Partial<EventRow> = { committedAt: now, requestId: step.requestId };
  if (completed)
    for (const event of step.completion?.events ?? []) append(lane, { seq: step.seq, event, epoch, rest: told });
  if (begun && step.begin !== null) {
    const { seq, at, attempt, before } = step.begin;
    const event: IntentEvent = { type: 'AttemptBegun', at, attempt, ...(before === null ? {} : { before }) };
    append(lane, { seq, event, epoch: step.epoch, rest: { committedAt: now } });
  }
  return { completed, begun };
}

function fits({ epoch, owner, cursor, attempt, attemptOpen }: ModelLane, step: ModelStep): boolean {
  const isCurrent = cursor.current === step.seq && cursor.current <= cursor.tail;
  return (
    epoch === step.epoch && owner !== null && isCurrent && attempt === step.attempt && attemptOpen === step.attemptOpen
  );
}

/** An enrolment behind a waiting intent goes first. */
function isOvertaken({ cursor, issueSeq }: ModelLane, { seq, completion }: ModelStep): boolean {
  if (completion?.kind !== 'wait' || issueSeq === null || issueSeq <= seq) return false;
  return issueSeq >= cursor.head && !cursor.ahead.includes(issueSeq) && !cursor.redo.includes(issueSeq);
}

interface CursorMove {
  readonly overtakes: boolean;
  readonly bug: Bug | null;
}

function cursorAfter(
  { cursor, issueSeq }: ModelLane,
  { seq, completion }: ModelStep,
  { overtakes, bug }: CursorMove,
): LaneCursor {
  if (completion?.kind === 'settle') {
    const settled = settleCurrent({ ...cursor, current: seq });
    const isTooFar = bug === 'ahead-too-far' && settled.head + 1 <= settled.tail && settled.ahead.length === 0;
    return isTooFar ? { ...settled, ahead: [settled.head + 1] } : settled;
  }
  const redo = overtakes && issueSeq !== null ? [issueSeq, ...cursor.redo] : cursor.redo;
  return { ...cursor, redo, current: redo[0] ?? cursor.head };
}

function mayBegin({ begin, completion }: ModelStep, cursor: LaneCursor, now: number): boolean {
  if (begin === null || now > begin.leaseUntil - 5_000) return false;
  const isNext = begin.seq === cursor.current && begin.seq <= cursor.tail;
  return isNext && (completion === null || completion.kind === 'settle' || completion.kind === 'stay');
}

interface Grant {
  readonly step: ModelStep;
  readonly begun: boolean;
  readonly overtakes: boolean;
  readonly cursor: LaneCursor;
  readonly now: number;
  readonly bug: Bug | null;
}

function grant(lane: ModelLane, { step, begun, overtakes, cursor, now, bug }: Grant): void {
  const { completion, begin } = step;
  lane.cursor = cursor;
  lane.pass = completion?.pass ?? lane.pass;
  lane.revision += overtakes ? 1 : 0;
  if (begun && begin !== null) {
    Object.assign(lane, {
      dueAt: begin.leaseUntil,
      state: 'live',
      attempt: begin.attempt,
      attemptOpen: true,
      openSince: begin.at,
    });
    return;
  }
  const stays = cursor.current === step.seq && completion?.kind !== 'settle';
  lane.dueAt = dueAfter(step, { cursor, now, bug });
  lane.state = stateAfter(lane, step, overtakes);
  Object.assign(lane, { attempt: stays ? step.attempt : 0, attemptOpen: false, openSince: null, owner: null });
}

function dueAfter(
  { seq, completion }: ModelStep,
  { cursor, now, bug }: Pick<Grant, 'cursor' | 'now' | 'bug'>,
): number | null {
  if (completion === null || completion.kind === 'block' || cursor.current > cursor.tail) return null;
  const comesBack = ['retry', 'wait', 'await'].includes(completion.kind) && cursor.current === seq;
  if (comesBack && bug === 'retry-forgotten' && completion.kind === 'retry') return null;
  if (comesBack && bug === 'retry-too-early') return now;
  return comesBack ? completion.dueAt : now;
}

function stateAfter(lane: ModelLane, { completion }: ModelStep, overtakes: boolean): LaneRow['state'] {
  switch (completion?.kind) {
    case 'block':
      return 'blocked';
    case 'settle':
      return 'live';
    case 'wait':
      return overtakes ? 'live' : 'waiting';
    case 'await':
      return 'waiting';
    default:
      return lane.state;
  }
}
