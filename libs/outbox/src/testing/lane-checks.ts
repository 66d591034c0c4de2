import type { IntentEvent, IntentState } from '#intents/core';

import type { DeliveryEffect, DeliveryEvent } from '../engine/messages.js';
import type { EngineProcess } from './engine-process.js';
import type { LedgerEntry } from './fake-partner.js';
import { placeOf } from './fake-partner.js';
import type { FakeStore, StoredEvent, StoredIntent, StoredLane } from './fake-store.js';
import { eventsOf } from './fake-store.js';
import { attemptIn, stateOf } from './lane-model.js';

type Status = IntentState['status'];

/** In which states an event may happen to an intent; what has no line may happen in any. */
const mayHappenIn: Partial<Record<IntentEvent['type'], readonly Status[]>> = {
  AttemptBegun: ['pending', 'waiting'],
  AttemptApplied: ['delivering'],
  AttemptRejected: ['delivering'],
  AttemptNotApplied: ['delivering'],
  AttemptUnknown: ['delivering'],
  ProbeRead: ['unknown'],
  VerifiedAbsent: ['unknown'],
  ResendDecided: ['unknown'],
  VerifiedApplied: ['unknown', 'pending', 'waiting', 'parked'],
  WaitingBegan: ['pending'],
  IntentReleased: ['waiting'],
  IntentParked: ['pending', 'waiting', 'unknown'],
  IntentCancelled: ['pending', 'waiting', 'parked'],
};

/** What is wrong with this event in this state, or null. */
export function misplacedEvent(state: IntentState, event: IntentEvent): string | null {
  const states = mayHappenIn[event.type];
  if (states !== undefined && !states.includes(state.status)) return `${event.type} while ${state.status}`;
  const expected = expectedAttempt(state, event);
  if (expected === null || !('attempt' in event) || event.attempt === expected) return null;
  return `${event.type} of attempt ${event.attempt} instead of ${expected}`;
}

/** Which attempt the event must be of; null: any, or none. */
function expectedAttempt(state: IntentState, { type }: IntentEvent): number | null {
  if (type === 'LateOutcome') return null;
  if (type === 'AttemptBegun') return 1 + (state.status === 'absent' ? 0 : state.attempts);
  return state.status === 'delivering' ? state.attempt : null;
}

type SendEffect = Extract<DeliveryEffect, { type: 'Send' }>;

/** When a request is handed over, and when its answer, or the end of waiting for one, comes at the latest. */
interface SendTimes {
  readonly now: number;
  readonly endsAt: number;
  readonly timeoutMs: number;
}

/** Watches the requests of all engines: each has a begin of its own, none meets another, none outlives its lease. */
export class SendCheck {
  private readonly openUntil = new Map<number, number>();
  private readonly sent = new Set<StoredEvent>();

  /** @returns what is wrong with this request */
  judge(lane: StoredLane, { epoch, command }: SendEffect, times: SendTimes): string[] {
    const { laneId, seq } = placeOf(command);
    const begin = lane.events.findLast((row) => row.seq === seq && isBegin(row, epoch));
    const problems = [
      laneId === lane.laneId ? null : `is sent for lane ${laneId}`,
      (this.openUntil.get(laneId) ?? 0) <= times.now ? null : 'is sent while another is open',
      isCovered(lane, epoch, times) ? null : 'is sent although its lease may end before',
      begin !== undefined && !this.sent.has(begin) ? null : 'is sent without a begin of its own',
    ];
    if (begin !== undefined) this.sent.add(begin);
    this.openUntil.set(laneId, times.endsAt);
    return problems.flatMap((problem) => (problem === null ? [] : [`intent ${seq} ${problem}`]));
  }
}

/** The lease is the sender's, and lasts until the answer. */
function isCovered({ epoch, dueAt }: StoredLane, leaseEpoch: number, { now, timeoutMs }: SendTimes): boolean {
  return epoch === leaseEpoch && (dueAt ?? 0) >= now + timeoutMs;
}

function isBegin({ event, epoch }: StoredEvent, leaseEpoch: number): boolean {
  return event.type === 'AttemptBegun' && epoch === leaseEpoch;
}

interface Answer {
  readonly process: EngineProcess;
  readonly laneId: number;
  readonly begin: StoredEvent;
}

const outcomes: readonly string[] = [
  'AttemptApplied',
  'AttemptRejected',
  'AttemptNotApplied',
  'AttemptUnknown',
  'LateOutcome',
];

/** Whether the row tells the outcome of that attempt, under that lease. */
export function isOutcome(row: StoredEvent, of: StoredEvent): boolean {
  const isSame = row.seq === of.seq && attemptIn(row.event) === attemptIn(of.event) && row.epoch === of.epoch;
  return isSame && outcomes.includes(row.event.type);
}

/** What an engine was told of an attempt must be in the store in the end: as the outcome, or as a late one. */
export class AnswerCheck {
  private readonly answers: Answer[] = [];

  constructor(private readonly store: FakeStore) {}

  heard(process: EngineProcess, events: readonly DeliveryEvent[]): void {
    for (const event of events) {
      if (event.type !== 'AttemptAnswered') continue;
      const { laneId, epoch } = event;
      const rows = this.store.lanes.get(laneId)?.events ?? [];
      const begin = rows.findLast((row) => row.epoch === epoch && row.event.type === 'AttemptBegun');
      if (begin !== undefined) this.answers.push({ process, laneId, begin });
    }
  }

  /** Answers that were lost although the process that got them lives on. */
  lost(): string[] {
    const lost = this.answers.filter((answer) => answer.process.isAlive && !this.isRecorded(answer));
    return lost.map(({ laneId, begin }) => `lane ${laneId}: the answer to intent ${begin.seq} was lost`);
  }

  private isRecorded({ laneId, begin }: Answer): boolean {
    const rows = this.store.lanes.get(laneId)?.events ?? [];
    return rows.some((row) => isOutcome(row, begin));
  }
}

/** How many effects at the partner go with a state; null: none or one, for it says that nobody knows. */
function effectsOf(state: IntentState, { operation }: StoredIntent): number | null {
  // An issue is delivered, too, where the member turns out to have a pass of ours already.
  if (state.status === 'delivered') return operation === 'issue' ? null : 1;
  return state.status === 'parked' && state.reason === 'unknown-outcome' ? null : 0;
}

function problemOfEffects(state: IntentState, intent: StoredIntent, effects: number): string | null {
  if (effects > 1) return `${effects} effects`;
  const expected = effectsOf(state, intent);
  return expected === null || expected === effects ? null : `${state.status} with ${effects} effects`;
}

/** What must not be left when everything has come to rest. */
function problemOfState(lane: StoredLane, state: IntentState): string | null {
  switch (state.status) {
    case 'absent':
    case 'delivering':
    case 'unknown':
      return `left ${state.status}`;
    case 'pending':
    case 'waiting':
      return lane.state === 'blocked' ? null : `left ${state.status}`;
    case 'parked':
      if (state.reason === 'held') return 'still held';
      return state.doubts.length > 0 && state.reason !== 'unknown-outcome' ? `${state.reason} while in doubt` : null;
    case 'cancelled':
      return state.doubts.length > 0 ? 'cancelled while in doubt' : null;
    case 'delivered':
      return null;
  }
}

function problemOfParking(lane: StoredLane, seq: number, state: IntentState): string | null {
  if (state.status !== 'parked' || state.reason !== 'exhausted') return null;
  const last = eventsOf(lane, seq).findLast(({ event }) => event.type === 'AttemptNotApplied');
  const isAnswered = last?.event.type === 'AttemptNotApplied' && last.event.answered;
  return isAnswered ? null : 'parked as exhausted by an attempt without an answer';
}

function problemOfIntent(lane: StoredLane, intent: StoredIntent, effects: number): string | null {
  const { seq } = intent;
  const state = stateOf(lane, seq);
  return problemOfEffects(state, intent, effects) ?? problemOfState(lane, state) ?? problemOfParking(lane, seq, state);
}

/** Parked as unknown and let go, or stepped aside for a hold: others were delivered meanwhile. */
function wasPassed(lane: StoredLane, seq: number): boolean {
  const state = stateOf(lane, seq);
  const steppedAside = eventsOf(lane, seq).some(
    ({ event }) => event.type === 'IntentParked' && event.reason === 'held',
  );
  return steppedAside || (state.status === 'parked' && state.hadUnknown);
}

/** First-applied order is the order of the lane; an enrolment may have overtaken. */
function problemOfOrder(lane: StoredLane, ledger: readonly LedgerEntry[]): string | null {
  const applied = new Set(ledger.map(({ seq }) => seq));
  const seqs = [...applied].filter((seq) => lane.intents[seq - 1]?.operation !== 'issue' && !wasPassed(lane, seq));
  const isInOrder = seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0));
  return isInOrder ? null : `applied in the order ${seqs.join(', ')}`;
}

function problemOfVersions(lane: StoredLane): string | null {
  const versions = [...lane.intents, ...lane.events].map(({ version }) => version).sort((a, b) => a - b);
  const isDense = versions.length === lane.version && versions.every((version, index) => version === index + 1);
  return isDense ? null : 'versions are not dense';
}

/** What is wrong with a lane at rest, given what the partner applied of it, in order. */
export function problemsAtRest(lane: StoredLane, ledger: readonly LedgerEntry[]): string[] {
  const ofIntents = lane.intents.map((intent) => {
    const problem = problemOfIntent(lane, intent, ledger.filter(({ seq }) => seq === intent.seq).length);
    return problem === null ? null : `intent ${intent.seq}: ${problem}`;
  });
  const problems = [problemOfVersions(lane), problemOfOrder(lane, ledger), ...ofIntents];
  return problems.flatMap((problem) => (problem === null ? [] : [`lane ${lane.laneId}: ${problem}`]));
}
