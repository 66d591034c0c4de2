import type { IntentState } from '#domain';
import { decide, evolve, isDrained } from '#domain';
import type { ClaimedIntent, ClaimedLane, LaneStep, LateOutcome, StepResult } from '#intents';

import { commandFor } from './command-for.js';
import type { StoredEvent, StoredLane } from './stored-lane.js';
import { eventsOf, foldedState, intentOf, newLane, recordedState } from './stored-lane.js';
import { append, takeStep } from './take-step.js';

const intentsPerLane = 16;

interface FakeClaim {
  readonly program: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly owner: string;
  readonly limit: number;
}

/** A lane row as the claim's statement returned it; the events are read by a second statement. */
interface LeasedRow {
  readonly row: StoredLane;
  readonly leaseUntil: number;
}

/** The tables of delivery in memory. Each method is one transaction with the semantics of the SQL in `#intents`. */
export class FakeStore {
  readonly lanes = new Map<number, StoredLane>();

  /** Called after each transaction that changed the lane. */
  onChange: (lane: StoredLane) => void = () => undefined;

  laneOf(laneId: number, program: string): StoredLane {
    const lane = this.lanes.get(laneId) ?? newLane(laneId, program);
    this.lanes.set(laneId, lane);
    return lane;
  }

  claim({ program, now, leaseUntil, owner, limit }: FakeClaim): LeasedRow[] {
    const due = [...this.lanes.values()].filter((lane) => lane.program === program && (lane.dueAt ?? Infinity) <= now);
    const taken = due.sort((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0)).slice(0, 2 ** Math.floor(Math.log2(limit)));
    return taken.map((lane) => {
      Object.assign(lane, { dueAt: leaseUntil, epoch: lane.epoch + 1, owner });
      this.onChange(lane);
      return { row: { ...lane, intents: [...lane.intents] }, leaseUntil };
    });
  }

  /** The claim's second statement: histories of intents that may have one. It may see more than the first. */
  open({ row, leaseUntil }: LeasedRow): ClaimedLane {
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
      intents: new Map(intents.map((intent) => [intent.seq, intent])),
    };
  }

  /** Group commit: `recordSteps` without its search for own rows. */
  record(steps: readonly LaneStep[], now: number): StepResult[] {
    return steps.map((step) => {
      const lane = this.lanes.get(step.laneId);
      if (lane === undefined) throw new Error('a step for a lane that does not exist');
      const result = takeStep(lane, step, now);
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
      if (completed || begun) found.set(step, { laneId, epoch, completed, begun });
    }
    return found;
  }

  recordLate(outcomes: readonly LateOutcome[]): void {
    for (const outcome of outcomes) {
      const lane = this.lanes.get(outcome.laneId);
      const { seq, event } = outcome;
      const { attempt } = event;
      if (lane === undefined || this.has(outcome, { seq, type: 'LateOutcome', attempt })) continue;
      tellLate(lane, outcome);
      this.onChange(lane);
    }
  }

  release(leases: readonly { readonly laneId: number; readonly epoch: number }[], owner: string, now: number): void {
    for (const { laneId, epoch } of leases) {
      const lane = this.lanes.get(laneId);
      if (lane?.epoch !== epoch || lane.attemptOpen || lane.owner !== owner) continue;
      lane.owner = null;
      lane.dueAt = isDrained(lane.cursor) || lane.state === 'blocked' ? null : now;
      this.onChange(lane);
    }
  }

  private openIntent(row: StoredLane, seq: number, hasHistory: boolean): ClaimedIntent[] {
    const intent = intentOf(row, seq);
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
    const attempt = 'attempt' in first.event ? first.event.attempt : 0;
    return this.has(step, { seq: first.seq, type: first.event.type, attempt });
  }

  private has(
    { laneId, epoch }: { readonly laneId: number; readonly epoch: number },
    mark: { readonly seq: number; readonly type: string; readonly attempt: number },
  ): boolean {
    const lane = this.lanes.get(laneId);
    return (lane?.events ?? []).some(
      (row) =>
        row.epoch === epoch && row.seq === mark.seq && row.attempt === mark.attempt && row.event.type === mark.type,
    );
  }
}

/** What a late outcome means for the lane (`record-late-outcomes.ts`, `append-by-others.ts`). */
function tellLate(lane: StoredLane, { seq, epoch, event }: LateOutcome): void {
  const outcome = { kind: event.outcome, code: event.code };
  const { at, attempt } = event;
  const decision = decide(foldedState(lane, seq), { type: 'RecordLateOutcome', at, attempt, outcome });
  for (const [index, decided] of (decision.kind === 'events' ? decision.events : []).entries()) {
    append(lane, { seq, event: decided, evidence: null }, index === 0 ? epoch : lane.epoch);
    lane.revision += 1;
    if (index === 0 || lane.cursor.current !== seq) continue;
    lane.state = 'live';
    if (lane.owner === null) lane.dueAt = at;
  }
}
