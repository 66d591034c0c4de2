import type { IntentState, Operation } from '#intents/core';
import { evolve, initialIntentState } from '#intents/core';
import type {
  ClaimedIntent,
  ClaimedLane,
  CoordinationState,
  LaneStep,
  LateOutcome,
  DeferredLanes,
  PauseTarget,
  ReplicaReport,
  StepResult,
} from '#intents';
import { replicaTtlMs } from '#intents';

import type { IntentPlace } from './fake-partner.js';
import { commandFor } from './fake-partner.js';
import type { LaneModel } from './lane-model.js';
import {
  attemptIn,
  cancelIntent,
  claimLane,
  heldBetween,
  newLane,
  recordIntents,
  recordLateOutcome,
  releaseLease,
  takeBack,
  takeStep,
} from './lane-model.js';

/** A row of `lane`, with the lane's rows of `intent` and `intent_event`. */
export type StoredLane = LaneModel & { readonly program: string };
export type StoredIntent = StoredLane['intents'][number];
export type StoredEvent = StoredLane['events'][number];

export function eventsOf(lane: StoredLane, seq: number): StoredEvent[] {
  return lane.events.filter((event) => event.seq === seq);
}

export function recordedState({ recordedAt }: StoredIntent): IntentState {
  return evolve(initialIntentState, { type: 'IntentRecorded', at: recordedAt });
}

const intentsPerLane = 16;

/** What ingest records for one lane at once. */
interface Arrivals {
  readonly operations: readonly Operation[];
  readonly now: number;
}

interface FakeClaim {
  readonly program: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly owner: string;
  readonly limit: number;
  /** Of so many lanes the first attempt may begin with the lease. */
  readonly begins: number;
}

/** A lane row as the claim's statement returned it; the events are read by a second statement. */
interface LeasedRow {
  /** What the claim has begun stands in it as before. */
  readonly row: StoredLane;
  readonly leaseUntil: number;
  readonly begunAt: number | null;
}

const asBefore = { attempt: 0, attemptOpen: false, openSince: null };

/** The tables of delivery in memory. Each method is one transaction with the semantics of the SQL in `#intents`. */
export class FakeStore {
  readonly lanes = new Map<number, StoredLane>();

  /** Called after each transaction that changed the lane. */
  onChange: (lane: StoredLane) => void = () => undefined;

  laneOf(laneId: number, program: string): StoredLane {
    const lane = this.lanes.get(laneId) ?? { ...newLane(laneId), intents: [], program };
    this.lanes.set(laneId, lane);
    return lane;
  }

  claim({ program, now, leaseUntil, owner, limit, begins }: FakeClaim): LeasedRow[] {
    const due = [...this.lanes.values()].filter((lane) => lane.program === program && (lane.dueAt ?? Infinity) <= now);
    const taken = due.sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0)).slice(0, 2 ** Math.floor(Math.log2(limit)));
    let left = begins;
    return taken.map((lane) => {
      const isBegun = claimLane(lane, { now, leaseUntil, owner }, left > 0);
      left -= isBegun ? 1 : 0;
      this.onChange(lane);
      const row = { ...lane, intents: [...lane.intents], ...(isBegun && asBefore) };
      return { row, leaseUntil, begunAt: isBegun ? now : null };
    });
  }

  /** What a claim has begun that was not answered. */
  findBegun({ program, leaseUntil, owner }: Pick<FakeClaim, 'program' | 'leaseUntil' | 'owner'>): LeasedRow[] {
    const begun = [...this.lanes.values()].filter((lane) => {
      const isOurs = lane.program === program && lane.owner === owner && lane.dueAt === leaseUntil;
      const last = lane.events.at(-1);
      const isFirst = lane.attempt === 1 && lane.revision === 0;
      return isOurs && lane.attemptOpen && isFirst && last?.event.type === 'AttemptBegun' && last.epoch === lane.epoch;
    });
    return begun.map((lane) => {
      const row = { ...lane, intents: [...lane.intents], ...asBefore };
      return { row, leaseUntil, begunAt: lane.openSince };
    });
  }

  /** When the next lane of the program comes due; Infinity: none is to come. */
  nextDueAt(program: string): number {
    return Math.min(
      ...[...this.lanes.values()].map((lane) => (lane.program === program ? lane.dueAt : null) ?? Infinity),
    );
  }

  /** The claim's second statement: histories of intents that may have one. It may see more than the first. */
  open({ row, leaseUntil, begunAt }: LeasedRow): ClaimedLane {
    const { head, current } = row.cursor;
    const hasHistory = row.attempt > 0 || row.revision > 0 || row.state !== 'live';
    const seqs = new Set([current, ...Array.from({ length: intentsPerLane }, (_, index) => head + index)]);
    const intents = [...seqs].flatMap((seq) => this.openIntent(row, seq, hasHistory));
    return {
      laneId: row.laneId,
      key: new Uint8Array(32),
      program: row.program,
      memberId: `m_${row.laneId}`,
      epoch: row.epoch,
      revision: row.revision,
      cursor: row.cursor,
      attempt: row.attempt,
      attemptOpen: row.attemptOpen,
      openSince: row.openSince,
      pass: row.pass,
      leaseUntil,
      ...(begunAt !== null && { begunAt }),
      intents: new Map(intents.map((intent) => [intent.seq, intent])),
    };
  }

  /** Group commit: `recordSteps` without its search for own rows. */
  record(steps: readonly LaneStep[], now: number): StepResult[] {
    return steps.map((step) => {
      const lane = this.lanes.get(step.laneId);
      if (lane === undefined) throw new Error('a step for a lane that does not exist');
      const { laneId, epoch } = step;
      const taken = takeStep(lane, step, now);
      const result = { laneId, epoch, ...taken, dueAt: lane.dueAt ?? Infinity };
      if (result.completed || result.begun) this.onChange(lane);
      return result;
    });
  }

  /** Which of these steps are committed already, by their own events. */
  findOwn(steps: readonly LaneStep[]): Map<LaneStep, StepResult> {
    const found = new Map<LaneStep, StepResult>();
    for (const step of steps) {
      const { laneId, epoch } = step;
      const begun = this.hasBegun(step);
      // A completion may have no event of its own; it was granted if the begin merged with it was.
      const completed = this.hasCompleted(step) || (begun && step.completion !== null);
      if (completed || begun) found.set(step, { laneId, epoch, completed, begun, dueAt: 0 });
    }
    return found;
  }

  recordLate(outcomes: readonly LateOutcome[]): void {
    for (const outcome of outcomes) {
      const lane = this.lanes.get(outcome.laneId);
      const { seq, event } = outcome;
      const { attempt } = event;
      if (lane === undefined || this.has(outcome, { seq, type: 'LateOutcome', attempt })) continue;
      const told = { kind: event.outcome, code: event.code };
      recordLateOutcome(lane, { seq, epoch: outcome.epoch, at: event.at, attempt, outcome: told });
      this.onChange(lane);
    }
  }

  release(leases: readonly { readonly laneId: number; readonly epoch: number }[], owner: string, now: number): void {
    for (const { laneId, epoch } of leases) {
      const lane = this.lanes.get(laneId);
      if (lane?.owner === owner && releaseLease(lane, epoch, now)) this.onChange(lane);
    }
  }

  /** A batch of ingest. */
  arrive(laneId: number, program: string, { operations, now }: Arrivals): void {
    const lane = this.laneOf(laneId, program);
    recordIntents(
      lane,
      operations.map((operation) => ({ operation, recordedAt: now })),
      now,
    );
    this.onChange(lane);
  }

  /** Cancels an intent where that is possible. */
  cancel({ laneId, seq }: IntentPlace, now: number): void {
    const lane = this.lanes.get(laneId);
    if (lane !== undefined && cancelIntent(lane, seq, now)) this.onChange(lane);
  }

  private openIntent(row: StoredLane, seq: number, hasHistory: boolean): ClaimedIntent[] {
    const intent = row.intents[seq - 1];
    const lane = this.lanes.get(row.laneId);
    if (intent === undefined || lane === undefined) return [];
    const { operation, recordedAt } = intent;
    const history: StoredEvent[] = hasHistory ? eventsOf(lane, seq) : [];
    const state = history.reduce<IntentState>((before, { event }) => evolve(before, event), recordedState(intent));
    const command = commandFor({ laneId: row.laneId, seq, operation });
    return [{ seq, operation, command, state, recordedAt, brokerAt: recordedAt, waitsFor: null }];
  }

  private hasBegun(step: LaneStep): boolean {
    const { begin } = step;
    return begin !== null && this.has(step, { seq: begin.seq, type: 'AttemptBegun', attempt: begin.attempt });
  }

  private hasCompleted(step: LaneStep): boolean {
    const first = step.completion?.events[0];
    if (first === undefined) return false;
    const attempt = attemptIn(first.event);
    return this.has(step, { seq: first.seq, type: first.event.type, attempt });
  }

  private has(
    { laneId, epoch }: { readonly laneId: number; readonly epoch: number },
    mark: { readonly seq: number; readonly type: string; readonly attempt: number },
  ): boolean {
    const lane = this.lanes.get(laneId);
    return (lane?.events ?? []).some(
      (row) =>
        row.epoch === epoch &&
        row.seq === mark.seq &&
        attemptIn(row.event) === mark.attempt &&
        row.event.type === mark.type,
    );
  }
}

type StoredPause = PauseTarget & { readonly automatic: boolean; readonly since: number };

function isSame(one: PauseTarget, other: PauseTarget): boolean {
  return (
    one.program === other.program &&
    one.operation === other.operation &&
    (one.factor ?? null) === (other.factor ?? null)
  );
}

/** The tables `replica`, `program_gate` and `pause` in memory; each method is one transaction of `#intents`. */
export class FakeCoordination {
  pauses: StoredPause[] = [];
  private readonly replicas = new Map<string, { readonly heartbeatAt: number; readonly report: ReplicaReport }>();

  constructor(private readonly store: FakeStore) {}

  /** A statement does not see what it writes itself: the others are read as they were before. */
  report(report: ReplicaReport, now: number): CoordinationState {
    const alive = [...this.replicas.values()].filter(({ heartbeatAt }) => heartbeatAt > now - replicaTtlMs);
    const others = alive.map(({ report: other }) => other).filter(({ replicaId }) => replicaId !== report.replicaId);
    this.replicas.set(report.replicaId, { heartbeatAt: now, report });
    const gates = alive.flatMap(({ report: other }) => other.gates);
    return { others, gates, pauses: this.pauses };
  }

  leave(replicaId: string): void {
    this.replicas.delete(replicaId);
  }

  set(pause: PauseTarget & { readonly automatic: boolean }, now: number): void {
    if (!this.pauses.some((other) => isSame(other, pause))) this.pauses = [...this.pauses, { ...pause, since: now }];
  }

  lift(target: PauseTarget): void {
    this.pauses = this.pauses.filter((pause) => !isSame(pause, target));
  }

  /** Deferred lanes of these ranges are due now, and what stepped aside is back. @param limit how many of each range, from its end */
  makeDue(targets: readonly DeferredLanes[], now: number, limit = Infinity): number {
    return this.resume(targets, now, limit) + this.release(targets, now, limit);
  }

  private release(targets: readonly DeferredLanes[], now: number, limit: number): number {
    const found = targets.flatMap((target) =>
      [...this.store.lanes.values()]
        .filter(({ program }) => program === target.program)
        .flatMap((lane) => heldBetween(lane, target).map((seq) => ({ lane, seq })))
        .slice(0, limit),
    );
    for (const { lane, seq } of found) {
      takeBack(lane, seq, now);
      this.store.onChange(lane);
    }
    return found.length;
  }

  private resume(targets: readonly DeferredLanes[], now: number, limit: number): number {
    const found = targets.flatMap(({ program, from, to }) =>
      [...this.store.lanes.values()]
        .filter((lane) => lane.program === program && from <= (lane.dueAt ?? 0) && (lane.dueAt ?? 0) <= to)
        .toSorted((one, other) => (other.dueAt ?? 0) - (one.dueAt ?? 0))
        .slice(0, limit),
    );
    for (const lane of found) {
      lane.dueAt = now;
      this.store.onChange(lane);
    }
    return found.length;
  }
}
