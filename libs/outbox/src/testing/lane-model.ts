import type { AttemptOutcome, IntentEvent, IntentState, LaneCursor, Operation, PassBefore } from '#intents/core';
import {
  decide,
  evolve,
  initialIntentState,
  isDrained,
  isUntouched,
  overtakenBy,
  requeue,
  settleCurrent,
} from '#intents/core';

/**
 * A row of `lane` with its truth, and what each transaction of the database does to it: the semantics of the SQL in
 * `libs/intents` in plain words, for one lane. Shares nothing with the product but the pure decisions of `#intents/core`.
 */
export interface LaneModel {
  readonly laneId: number;
  dueAt: number | null;
  epoch: number;
  revision: number;
  version: number;
  cursor: LaneCursor;
  attempt: number;
  attemptOpen: boolean;
  openSince: number | null;
  issueSeq: number | null;
  pass: 'unknown' | 'absent' | 'known';
  state: 'live' | 'waiting' | 'blocked';
  owner: string | null;
  readonly intents: RecordedIntent[];
  readonly events: EventRow[];
}

/** A row of `intent_event`. */
interface EventRow {
  readonly seq: number;
  readonly version: number;
  readonly epoch: number;
  readonly event: IntentEvent;
}

/** A row of `intent`. */
interface RecordedIntent {
  readonly seq: number;
  readonly version: number;
  readonly operation: Operation;
  readonly recordedAt: number;
}

export function newLane(laneId: number): Omit<LaneModel, 'intents'> {
  return {
    laneId,
    dueAt: null,
    epoch: 0,
    revision: 0,
    version: 0,
    cursor: { head: 1, tail: 0, current: 1, redo: [], ahead: [] },
    attempt: 0,
    attemptOpen: false,
    openSince: null,
    issueSeq: null,
    pass: 'unknown',
    state: 'live',
    owner: null,
    events: [],
  };
}

/** The intent's state as its events tell it. */
export function stateOf({ intents, events }: LaneModel, seq: number): IntentState {
  const intent = intents[seq - 1];
  if (intent === undefined) return initialIntentState;
  const recorded = evolve(initialIntentState, { type: 'IntentRecorded', at: intent.recordedAt });
  return events.filter((row) => row.seq === seq).reduce((state, { event }) => evolve(state, event), recorded);
}

/** A lane that nobody would ever look at again although it has work. */
export function isStuck({ dueAt, state, cursor }: LaneModel): boolean {
  return dueAt === null && state !== 'blocked' && !isDrained(cursor);
}

/** Of which attempt an event tells; 0: of none. */
export function attemptIn(event: IntentEvent): number {
  return 'attempt' in event ? event.attempt : 0;
}

interface Appended {
  readonly seq: number;
  readonly event: IntentEvent;
  readonly epoch: number;
}

function append(lane: LaneModel, { seq, event, epoch }: Appended): void {
  lane.version += 1;
  lane.events.push({ seq, version: lane.version, epoch, event });
}

/** By anyone but the lease owner: the revision rises. Where it settles what is current, a free lane becomes due. */
function appendByOthers(
  lane: LaneModel,
  appended: Omit<Appended, 'epoch'> & { readonly epoch?: number },
  settles: boolean,
): void {
  append(lane, { epoch: lane.epoch, ...appended });
  lane.revision += 1;
  if (!settles || lane.cursor.current !== appended.seq) return;
  lane.state = 'live';
  if (lane.owner === null) lane.dueAt = appended.event.at;
}

/**
 * Ingest records intents of one batch: an idle lane becomes due; an enrolment that reaches a waiting lane without a pass goes
 * first.
 */
export function recordIntents(
  lane: LaneModel,
  intents: readonly Omit<RecordedIntent, 'seq' | 'version'>[],
  now: number,
): void {
  const rows = intents.map((intent) => {
    lane.version += 1;
    const row = { ...intent, seq: lane.intents.length + 1, version: lane.version };
    lane.intents.push(row);
    return row;
  });
  lane.cursor = { ...lane.cursor, tail: lane.intents.length };
  const issueSeq = rows.findLast(({ operation }) => operation === 'issue')?.seq ?? null;
  lane.issueSeq = issueSeq ?? lane.issueSeq;
  if (issueSeq !== null && lane.state === 'waiting' && lane.pass === 'absent' && lane.owner === null) {
    lane.cursor = { ...lane.cursor, redo: [issueSeq, ...lane.cursor.redo], current: issueSeq };
    Object.assign(lane, { attempt: 0, revision: lane.revision + 1, state: 'live', dueAt: now });
  } else if (lane.state === 'live') {
    lane.dueAt ??= now;
  }
}

/** A source event or an operator takes back what has not begun. @returns whether it could */
export function cancelIntent(lane: LaneModel, seq: number, at: number): boolean {
  const state = stateOf(lane, seq);
  const decision = decide(state, { type: 'CancelIntent', at, by: 'source-event', reason: 'voided' });
  if (!isUntouched(state) || decision.kind === 'ignored') return false;
  for (const event of decision.events) appendByOthers(lane, { seq, event }, true);
  return true;
}

/** What stepped aside for a hold and lies between these times, by seq. */
export function heldBetween(lane: LaneModel, { from, to }: { readonly from: number; readonly to: number }): number[] {
  return lane.intents.flatMap(({ seq }) => {
    const state = stateOf(lane, seq);
    if (state.status !== 'parked' || state.reason !== 'held') return [];
    const park = lane.events.findLast((row) => row.seq === seq && row.event.type === 'IntentParked')?.event;
    const until = park?.type === 'IntentParked' ? (park.heldUntil ?? 0) : 0;
    return from <= until && until <= to ? [seq] : [];
  });
}

/** What stepped aside comes back, before what has not been sent. */
export function takeBack(lane: LaneModel, seq: number, at: number): void {
  const overtaken = overtakenBy(lane.cursor, seq);
  const decision = decide(stateOf(lane, seq), { type: 'ReplayIntent', at, by: 'loyaltyd', reason: 'held', overtaken });
  if (decision.kind === 'ignored') return;
  for (const event of decision.events) appendByOthers(lane, { seq, event }, true);
  const before = lane.cursor;
  lane.cursor = requeue(before, seq, lane.state === 'blocked' || lane.attemptOpen);
  if (lane.cursor.current !== before.current) Object.assign(lane, { attempt: 0, state: 'live' });
  if (lane.owner === null && lane.state !== 'blocked') lane.dueAt = Math.min(lane.dueAt ?? at, at);
}

/** What a fenced worker learned under an old epoch, and what follows from it. */
interface LateOutcome {
  readonly seq: number;
  readonly epoch: number;
  readonly at: number;
  readonly attempt: number;
  readonly outcome: { readonly kind: AttemptOutcome['kind']; readonly code: string };
}

export function recordLateOutcome(lane: LaneModel, { seq, epoch, at, attempt, outcome }: LateOutcome): void {
  const decision = decide(stateOf(lane, seq), { type: 'RecordLateOutcome', at, attempt, outcome });
  for (const [index, event] of (decision.kind === 'events' ? decision.events : []).entries()) {
    appendByOthers(lane, { seq, event, ...(index === 0 ? { epoch } : {}) }, index > 0);
  }
  const isOpen = lane.attemptOpen && lane.cursor.current === seq && lane.attempt === attempt;
  // It was told by the lease owner, whose step was refused: nothing is under way any more.
  if (isOpen && lane.epoch === epoch) lane.dueAt = Math.min(lane.dueAt ?? at, at);
}

/** A claim leases the lane; where its next intent is new, and needs no look, the first attempt may begin with that. @returns whether it did */
export function claimLane(
  lane: LaneModel,
  { now, leaseUntil, owner }: { readonly now: number; readonly leaseUntil: number; readonly owner: string },
  mayBegin: boolean,
): boolean {
  const begins = mayBegin && needsNoLook(lane);
  Object.assign(lane, { dueAt: leaseUntil, epoch: lane.epoch + 1, owner });
  if (!begins) return false;
  const event: IntentEvent = { type: 'AttemptBegun', at: now, attempt: 1 };
  append(lane, { seq: lane.cursor.current, event, epoch: lane.epoch });
  Object.assign(lane, { attempt: 1, attemptOpen: true, openSince: now });
  return true;
}

function needsNoLook({ attempt, attemptOpen, revision, state, pass, cursor, intents }: LaneModel): boolean {
  if (attempt > 0 || attemptOpen || revision > 0 || state !== 'live' || isDrained(cursor)) return false;
  if (intents[cursor.current - 1]?.operation !== 'issue') return pass === 'known';
  return pass !== 'known' && !intents.slice(0, cursor.current - 1).some(({ operation }) => operation === 'issue');
}

/** Gives a lease back, unless an attempt is open under it. @returns whether it was held under that epoch */
export function releaseLease(lane: LaneModel, epoch: number, now: number): boolean {
  if (lane.epoch !== epoch || lane.attemptOpen || lane.owner === null) return false;
  lane.owner = null;
  lane.dueAt = isDrained(lane.cursor) || lane.state === 'blocked' ? null : now;
  return true;
}

/** What becomes of the lane's current intent. */
interface Completion {
  readonly kind: 'settle' | 'retry' | 'doubt' | 'wait' | 'await' | 'block' | 'stay';
  readonly dueAt: number;
  readonly pass: LaneModel['pass'] | null;
  readonly events: readonly { readonly seq: number; readonly event: IntentEvent }[];
}

interface Begin {
  readonly seq: number;
  readonly attempt: number;
  /** What was read of the pass just before. */
  readonly before: PassBefore | null;
  readonly leaseUntil: number;
  /** Not begun later than this. */
  readonly sendBy: number;
  /** When it is said to have begun; absent: when it was recorded. */
  readonly at?: number;
}

/** One compare-and-set of a lease holder. */
interface Step {
  readonly epoch: number;
  /** The current intent, its last attempt, and the revision, as the holder knows them. */
  readonly seq: number;
  readonly attempt: number;
  readonly attemptOpen: boolean;
  readonly revision: number;
  readonly completion: Completion | null;
  readonly begin: Begin | null;
  /** An answer is recorded even where others have appended meanwhile. */
  readonly carriesAnswer: boolean;
}

/** A step being judged, with where the cursor would go. */
interface Move {
  readonly now: number;
  readonly lane: LaneModel;
  readonly step: Step;
  readonly cursor: LaneCursor;
  readonly overtakes: boolean;
}

/** `record-steps.ts` of `libs/intents` in words, for one lane. */
export function takeStep(
  lane: LaneModel,
  step: Step,
  now: number,
): { readonly completed: boolean; readonly begun: boolean } {
  if (!fits(lane, step)) return { completed: false, begun: false };
  const overtakes = isOvertaken(lane, step);
  const move = { now, lane, step, overtakes, cursor: cursorAfter(lane, step, overtakes) };
  const completed = mayComplete(move);
  const begun = mayBegin(move);
  if (completed || begun) grant(move, { completed, begin: begun ? step.begin : null });
  return { completed, begun };
}

function fits({ epoch, owner, cursor, attempt, attemptOpen }: LaneModel, step: Step): boolean {
  const isCurrent = cursor.current === step.seq && cursor.current <= cursor.tail;
  const isLease = epoch === step.epoch && owner !== null;
  return isLease && isCurrent && attempt === step.attempt && attemptOpen === step.attemptOpen;
}

/** An enrolment behind a waiting intent goes first. */
function isOvertaken({ cursor, issueSeq }: LaneModel, { seq, completion }: Step): boolean {
  if (completion?.kind !== 'wait' || issueSeq === null || issueSeq <= seq) return false;
  return issueSeq >= cursor.head && !cursor.ahead.includes(issueSeq) && !cursor.redo.includes(issueSeq);
}

function cursorAfter({ cursor, issueSeq }: LaneModel, { seq, completion }: Step, overtakes: boolean): LaneCursor {
  if (completion === null) return cursor;
  if (completion.kind === 'settle') return settleCurrent({ ...cursor, current: seq });
  const redo = overtakes && issueSeq !== null ? [issueSeq, ...cursor.redo] : cursor.redo;
  return { ...cursor, redo, current: redo[0] ?? cursor.head };
}

function mayComplete({ lane, step }: Move): boolean {
  const { completion, carriesAnswer, revision } = step;
  if (completion === null) return false;
  if (lane.revision === revision) return true;
  return carriesAnswer && !(parks(completion) && wasAppliedLate(lane, step));
}

function parks({ events }: Completion): boolean {
  return events.some(({ event }) => event.type === 'IntentParked');
}

function wasAppliedLate({ events }: LaneModel, { seq }: Step): boolean {
  return events.some((row) => row.seq === seq && row.event.type === 'LateOutcome' && row.event.outcome === 'applied');
}

function mayBegin({ lane, step: { begin, completion, revision }, cursor, now }: Move): boolean {
  if (begin === null || now > begin.sendBy || lane.revision !== revision) return false;
  const isNext = begin.seq === cursor.current && begin.seq <= cursor.tail;
  return isNext && (completion === null || completion.kind === 'settle' || completion.kind === 'stay');
}

function grant(move: Move, { completed, begin }: { readonly completed: boolean; readonly begin: Begin | null }): void {
  const { lane, step, cursor, overtakes, now } = move;
  Object.assign(lane, begin === null ? letGo(move) : keptFor(begin, now));
  lane.pass = step.completion?.pass ?? lane.pass;
  lane.revision += overtakes ? 1 : 0;
  lane.cursor = cursor;
  if (completed) appendCompletion(move);
  if (begin !== null) append(lane, { seq: begin.seq, event: begunEvent(begin, now), epoch: step.epoch });
}

function appendCompletion({ lane, step: { completion, epoch } }: Move): void {
  for (const { seq, event } of completion?.events ?? []) append(lane, { seq, event, epoch });
}

function begunEvent({ at, attempt, before }: Begin, now: number): IntentEvent {
  return { type: 'AttemptBegun', at: at ?? now, attempt, ...(before === null ? {} : { before }) };
}

function keptFor({ leaseUntil, attempt, at }: Begin, now: number): Partial<LaneModel> {
  return { dueAt: leaseUntil, state: 'live', attempt, attemptOpen: true, openSince: at ?? now };
}

function letGo(move: Move): Partial<LaneModel> {
  const { step, cursor } = move;
  const stays = cursor.current === step.seq && step.completion?.kind !== 'settle';
  return {
    dueAt: dueAfter(move),
    state: stateAfter(move),
    attempt: stays ? step.attempt : 0,
    attemptOpen: false,
    openSince: null,
    owner: null,
  };
}

function dueAfter({ step: { seq, completion }, cursor, now }: Move): number | null {
  if (completion === null || completion.kind === 'block' || cursor.current > cursor.tail) return null;
  const comesBack = ['retry', 'doubt', 'wait', 'await'].includes(completion.kind) && cursor.current === seq;
  return comesBack ? completion.dueAt : now;
}

function stateAfter({ lane, step: { completion }, overtakes }: Move): LaneModel['state'] {
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
