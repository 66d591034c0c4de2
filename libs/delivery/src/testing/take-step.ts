import type { LaneCursor } from '#domain';
import { settleCurrent } from '#domain';
import type { EventToAppend, LaneBegin, LaneStep, StepResult } from '#intents';

import type { StoredLane } from './stored-lane.js';

/** A step being judged: the lane before it, and where its cursor would go. `moved` of the statement. */
interface Move {
  readonly lane: StoredLane;
  readonly step: LaneStep;
  readonly now: number;
  readonly cursor: LaneCursor;
  readonly overtakes: boolean;
}

/** `record-steps-statement.ts` in words: `seen`, `moved`, `judged`, `granted` and `appended` for one lane. */
export function takeStep(lane: StoredLane, step: LaneStep, now: number): StepResult {
  const { laneId, epoch } = step;
  if (!isFitting(lane, step)) return { laneId, epoch, completed: false, begun: false };
  const overtakes = isOvertaken(lane, step);
  const move = { lane, step, now, overtakes, cursor: movedCursor(lane, step, overtakes) };
  const completed = mayComplete(lane, step);
  const begun = mayBegin(move);
  if (completed || begun) grant(move, begun ? step.begin : null);
  if (completed) appendAll(lane, eventsOf(step), epoch);
  if (begun) appendAll(lane, begunItems(step.begin, now), epoch);
  return { laneId, epoch, completed, begun };
}

export function append(lane: StoredLane, { seq, event }: EventToAppend, epoch: number): void {
  lane.version += 1;
  const attempt = 'attempt' in event ? event.attempt : 0;
  lane.events.push({ seq, version: lane.version, attempt, epoch, event });
}

function eventsOf({ completion }: LaneStep): readonly EventToAppend[] {
  return completion?.events ?? [];
}

function appendAll(lane: StoredLane, items: readonly EventToAppend[], epoch: number): void {
  for (const item of items) append(lane, item, epoch);
}

function begunItems(begin: LaneBegin | null, now: number): EventToAppend[] {
  if (begin === null) return [];
  return [{ seq: begin.seq, event: { type: 'AttemptBegun', at: now, attempt: begin.attempt }, evidence: null }];
}

function mayComplete(lane: StoredLane, { completion, tellsAnswer, revision }: LaneStep): boolean {
  return completion !== null && (tellsAnswer || lane.revision === revision);
}

function isFitting({ epoch, owner, cursor, attempt, attemptOpen }: StoredLane, step: LaneStep): boolean {
  const isCurrent = cursor.current === step.seq && cursor.current <= cursor.tail;
  const isLease = epoch === step.epoch && owner !== null;
  return isLease && isCurrent && attempt === step.attempt && attemptOpen === step.attemptOpen;
}

/** An enrolment behind a waiting intent goes first. */
function isOvertaken({ cursor, issueSeq }: StoredLane, { seq, completion }: LaneStep): boolean {
  if (completion?.kind !== 'wait' || issueSeq === null) return false;
  const isOpen = issueSeq >= cursor.head && !cursor.ahead.includes(issueSeq) && !cursor.redo.includes(issueSeq);
  return issueSeq > seq && isOpen;
}

function movedCursor({ cursor, issueSeq }: StoredLane, { seq, completion }: LaneStep, overtakes: boolean): LaneCursor {
  if (completion === null) return cursor;
  if (completion.kind === 'settle') return settleCurrent({ ...cursor, current: seq });
  const redo = overtakes && issueSeq !== null ? [issueSeq, ...cursor.redo] : cursor.redo;
  return { ...cursor, redo, current: redo[0] ?? cursor.head };
}

function mayBegin({ lane, step: { begin, completion, revision }, cursor, now }: Move): boolean {
  if (begin === null || now > begin.sendBy || lane.revision !== revision) return false;
  const isNext = begin.seq === cursor.current && begin.seq <= cursor.tail;
  return isNext && (completion === null || ['settle', 'stay'].includes(completion.kind));
}

function grant(move: Move, begin: LaneBegin | null): void {
  const { lane, step, cursor, overtakes } = move;
  Object.assign(lane, begin === null ? letGo(move) : keptFor(move, begin));
  lane.pass = step.completion?.pass ?? lane.pass;
  lane.revision += overtakes ? 1 : 0;
  lane.cursor = cursor;
}

function keptFor({ now }: Move, { leaseUntil, attempt }: LaneBegin): Partial<StoredLane> {
  return { dueAt: leaseUntil, state: 'live', attempt, attemptOpen: true, openSince: now };
}

function letGo(move: Move): Partial<StoredLane> {
  const attempt = attemptAfter(move);
  return { dueAt: dueAfter(move), state: stateAfter(move), attempt, attemptOpen: false, openSince: null, owner: null };
}

function attemptAfter({ step, cursor }: Move): number {
  return cursor.current === step.seq && step.completion?.kind !== 'settle' ? step.attempt : 0;
}

function dueAfter({ step: { seq, completion }, cursor, now }: Move): number | null {
  if (completion === null || completion.kind === 'block' || cursor.current > cursor.tail) return null;
  const comesBack = ['retry', 'doubt', 'wait', 'await'].includes(completion.kind) && cursor.current === seq;
  return comesBack ? completion.dueAt : now;
}

function stateAfter({ lane, step: { completion }, overtakes }: Move): StoredLane['state'] {
  switch (completion?.kind) {
    case 'block':
      return 'blocked';
    case 'settle':
    case 'doubt':
      return 'live';
    case 'wait':
      return overtakes ? 'live' : 'waiting';
    case 'await':
      return 'waiting';
    case 'retry':
    case 'stay':
    case undefined:
      return lane.state;
  }
}
