import type { IntentEvent, IntentEventType, LaneCursor, PassBefore } from '#domain';
import { settleCurrent } from '#domain';

import type { LaneRow } from '../history.js';
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

type Move = Omit<Completion, 'events'>;
type MoveOf = { readonly [T in IntentEventType]?: (event: Extract<IntentEvent, { type: T }>) => Move | null };

const move = (kind: Completion['kind'], dueAt = 0, pass: Completion['pass'] = null): Move => ({ kind, dueAt, pass });

/** What an event means for the lane; what has no line means nothing. */
const moves: MoveOf = {
  AttemptApplied: () => move('settle'),
  VerifiedApplied: () => move('settle'),
  IntentCancelled: () => move('settle'),
  AttemptNotApplied: ({ retryAt }) => move('retry', retryAt),
  AttemptUnknown: ({ checkAt }) => (checkAt === null ? null : move('retry', checkAt)),
  ProbeRead: ({ checkAt }) => move('retry', checkAt),
  WaitingBegan: ({ for: what, recheckAt }) =>
    what === 'pass' ? move('wait', recheckAt, 'absent') : move('await', recheckAt),
  IntentParked: ({ lane }) => move(lane === 'block' ? 'block' : 'settle'),
  PassFound: () => move('stay', 0, 'known'),
};

function moveOf(event: IntentEvent): Move | null {
  return (moves[event.type] as ((event: IntentEvent) => Move | null) | undefined)?.(event) ?? null;
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
  if (bug !== 'no-compare-and-set' && !fits(lane, step)) return { completed: false, begun: false };
  const overtakes = isOvertaken(lane, step);
  const cursor = cursorAfter(lane, step, { overtakes, bug });
  const completed = mayComplete(lane, step, bug);
  const begun = (lane.revision === step.revision || bug === 'revision-ignored') && mayBegin(step, cursor, now);
  if (completed || begun) grant(lane, { step, completed, begun, overtakes, cursor, now, bug });
  return { completed, begun };
}

function mayComplete({ revision }: ModelLane, step: ModelStep, bug: Bug | null): boolean {
  const hasRead = step.tellsAnswer || revision === step.revision || bug === 'decided-without-reading';
  return step.completion !== null && hasRead;
}

function appendAll(lane: ModelLane, { step, completed, begun, now, bug }: Grant): void {
  const { seq, completion, begin, requestId } = step;
  const epoch = step.epoch - (bug === 'wrong-epoch' ? 1 : 0);
  const events = completed ? (completion?.events ?? []) : [];
  for (const event of events) append(lane, { seq, event, epoch, rest: { committedAt: now, requestId } });
  if (begun && begin !== null) {
    append(lane, { seq: begin.seq, event: begunEvent(begin), epoch: step.epoch, rest: { committedAt: now } });
  }
}

export function begunEvent({ at, attempt, before }: Begin): IntentEvent {
  return { type: 'AttemptBegun', at, attempt, ...(before === null ? {} : { before }) };
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
    return bug === 'ahead-too-far' ? withOneAhead(settled) : settled;
  }
  const redo = overtakes && issueSeq !== null ? [issueSeq, ...cursor.redo] : cursor.redo;
  return { ...cursor, redo, current: redo[0] ?? cursor.head };
}

function withOneAhead(cursor: LaneCursor): LaneCursor {
  const { head, tail, ahead } = cursor;
  return head < tail && ahead.length === 0 ? { ...cursor, ahead: [head + 1] } : cursor;
}

function mayBegin({ begin, completion }: ModelStep, cursor: LaneCursor, now: number): boolean {
  if (begin === null || now > begin.leaseUntil - 5_000) return false;
  const isNext = begin.seq === cursor.current && begin.seq <= cursor.tail;
  return isNext && (completion === null || completion.kind === 'settle' || completion.kind === 'stay');
}

interface Grant {
  readonly step: ModelStep;
  readonly completed: boolean;
  readonly begun: boolean;
  readonly overtakes: boolean;
  readonly cursor: LaneCursor;
  readonly now: number;
  readonly bug: Bug | null;
}

function grant(lane: ModelLane, granted: Grant): void {
  const { step, begun, overtakes, cursor } = granted;
  const { completion, begin } = step;
  lane.cursor = cursor;
  lane.pass = completion?.pass ?? lane.pass;
  lane.revision += overtakes ? 1 : 0;
  Object.assign(lane, begun && begin !== null ? keptFor(begin) : letGo(lane, granted));
  appendAll(lane, granted);
}

function keptFor({ leaseUntil, attempt, at }: Begin): Partial<ModelLane> {
  return { dueAt: leaseUntil, state: 'live', attempt, attemptOpen: true, openSince: at };
}

function letGo(lane: ModelLane, granted: Grant): Partial<ModelLane> {
  const { step, cursor, overtakes } = granted;
  const stays = cursor.current === step.seq && step.completion?.kind !== 'settle';
  const state = overtakes ? 'live' : (states[step.completion?.kind ?? 'stay'] ?? lane.state);
  return {
    dueAt: dueAfter(granted),
    state,
    attempt: stays ? step.attempt : 0,
    attemptOpen: false,
    openSince: null,
    owner: null,
  };
}

const states: Partial<Record<Completion['kind'], LaneRow['state']>> = {
  block: 'blocked',
  settle: 'live',
  wait: 'waiting',
  await: 'waiting',
};

function dueAfter({ step: { seq, completion }, cursor, now, bug }: Grant): number | null {
  if (completion === null || completion.kind === 'block' || cursor.current > cursor.tail) return null;
  const comesBack = comingBack.includes(completion.kind) && cursor.current === seq;
  if (!comesBack || bug === 'retry-too-early') return now;
  return isForgotten(completion, bug) ? null : completion.dueAt;
}

const comingBack: readonly string[] = ['retry', 'wait', 'await'];

function isForgotten({ kind }: Completion, bug: Bug | null): boolean {
  return bug === 'retry-forgotten' && kind === 'retry';
}
