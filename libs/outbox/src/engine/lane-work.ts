import type { Program, WalletPass } from '#contracts';
import type {
  ComeBackStep,
  IntentEvent,
  IntentState,
  KnownOfPass,
  LaneCursor,
  NextStep,
  PartnerCommand,
  PassName,
  PassNaming,
  Renewal,
  Sending,
} from '#intents/core';
import {
  answersKnownPass,
  attemptRefusedAsDuplicate,
  evolve,
  factorsOf,
  groupOf,
  hadPass,
  holderMoveOf,
  transitionOf,
  passNameOf,
  policyOf,
  settleCurrent,
} from '#intents/core';
import type { ClaimedIntent, ClaimedLane, LaneBegin, LaneCompletion } from '#intents';

import type { HeldCall } from '../gate/program-pauses.js';

/** A step that makes no call. */
type QuietStep = Exclude<NextStep, { readonly kind: 'begin' | 'look-up' }>;

/** How a program's members and their passes are called. */
interface Addressing {
  readonly config: Program;
  readonly naming: PassNaming;
}

/** A lane that we hold: as the database returned it, moved along by what we have recorded since. */
export interface LaneWork extends KnownOfPass {
  readonly lane: ClaimedLane;
  readonly cursor: LaneCursor;
  readonly attempt: number;
  readonly attemptOpen: boolean;
  readonly leaseUntil: number;
  /** States that have changed since the claim, by seq. Few: made anew with every step, so that steps can be compared. */
  readonly changed: ReadonlyMap<number, IntentState>;
}

const unchanged: ReadonlyMap<number, IntentState> = new Map();
const absent: IntentState = { status: 'absent' };

export function startWork(lane: ClaimedLane): LaneWork {
  return {
    lane,
    cursor: lane.cursor,
    attempt: lane.attempt,
    attemptOpen: lane.attemptOpen,
    pass: lane.pass,
    leaseUntil: lane.leaseUntil,
    before: null,
    isPassAsked: false,
    named: lane.named ?? null,
    isNameAsked: false,
    changed: unchanged,
  };
}

export function currentIntent(work: LaneWork): ClaimedIntent | undefined {
  return work.lane.intents.get(work.cursor.current);
}

export function stateOf(work: LaneWork, seq: number): IntentState {
  return work.changed.get(seq) ?? work.lane.intents.get(seq)?.state ?? absent;
}

/** Whether an operator has requeued the current intent. */
export function isReplay(work: LaneWork): boolean {
  const state = stateOf(work, work.cursor.current);
  return state.status !== 'absent' && state.isReplay;
}

/** The lane as it will be once the completion is recorded. */
export function afterCompletion(work: LaneWork, completion: LaneCompletion): LaneWork {
  const isMoved = completion.kind === 'settle';
  return {
    ...work,
    changed: afterEvents(work, completion.events),
    cursor: isMoved ? settleCurrent(work.cursor) : work.cursor,
    attempt: isMoved ? 0 : work.attempt,
    attemptOpen: false,
    pass: completion.pass ?? work.pass,
    before: null,
    isPassAsked: work.isPassAsked && !isMoved,
    ...(completion.pass === 'absent' ? { named: null, isNameAsked: false } : {}),
  };
}

function afterEvents(
  work: LaneWork,
  events: readonly { readonly seq: number; readonly event: IntentEvent }[],
): LaneWork['changed'] {
  if (events.length === 0) return work.changed;
  const changed = new Map(work.changed);
  for (const { seq, event } of events) changed.set(seq, evolve(changed.get(seq) ?? stateOf(work, seq), event));
  return changed;
}

/** The lane as it is once the attempt is begun. */
export function afterBegin(work: LaneWork, begin: LaneBegin, at: number): LaneWork {
  const { before, attempt } = begin;
  const event: IntentEvent = { type: 'AttemptBegun', at, attempt, ...(before === null ? {} : { before }) };
  const changed = afterEvents(work, [{ seq: begin.seq, event }]);
  return { ...work, changed, attempt, attemptOpen: true, leaseUntil: begin.leaseUntil, before: null };
}

/** What a call has in common with others, and whose it is. */
export function callOf(intent: ClaimedIntent, { lane }: LaneWork): HeldCall {
  return { operation: intent.operation, factors: factorsOf(intent), laneId: lane.laneId, memberId: lane.memberId };
}

/** All that decides about the next step of a lane's intent, for `#intents/core`. */
export function sendingOf({ config, naming }: Addressing, work: LaneWork, intent: ClaimedIntent, now: number): Sending {
  const { lane, attemptOpen } = work;
  const place = intent.waitsFor?.place ?? null;
  return {
    intent,
    state: stateOf(work, intent.seq),
    purchase: place?.laneId === lane.laneId ? stateOf(work, place.seq) : { status: 'absent' },
    heldSale: heldSaleBefore(work, intent),
    known: work,
    attemptOpen,
    openSince: lane.openSince,
    policy: policyOf(config, intent),
    naming,
    now,
  };
}

/** A sale that has stepped aside under this lease, or had when the lane was claimed. */
function heldSaleBefore({ lane, changed }: LaneWork, { seq, isGrant, heldSale }: ClaimedIntent): Sending['heldSale'] {
  if (isGrant !== true) return null;
  const isHeld = ([each, state]: readonly [number, IntentState]): boolean =>
    each < seq &&
    state.status === 'parked' &&
    state.reason === 'held' &&
    lane.intents.get(each)?.operation === 'transaction';
  const sale = [...changed].find(isHeld);
  return sale === undefined ? (heldSale ?? null) : { laneId: lane.laneId, seq: sale[0] };
}

/** @param evidence kept, sealed, with the first event */
export function completionOf(
  { seq, operation, isAwaited, state }: Pick<ClaimedIntent, 'seq' | 'operation' | 'isAwaited' | 'state'>,
  events: readonly IntentEvent[],
  evidence: string | null,
): LaneCompletion {
  const move = holderMoveOf(operation, events);
  return {
    ...move,
    ...(groupOf(operation) === 'issue' &&
      (seq > 1 || hadPass(state)) &&
      events.some((event) => makesCard(event, state)) &&
      replacesCard),
    ...(isAwaited === true && events.some(delivers) && { releasesAside: true as const }),
    ...(isAwaited === true && events.some(leavesAccount) && { releasesRest: true as const }),
    events: events.map((event, index) => ({ seq, event, evidence: index === 0 ? evidence : null })),
  };
}

const delivers = (event: IntentEvent): boolean => transitionOf(event).status === 'delivered';

/** What it takes back, or gives, does not count for its receipt any more. */
const leavesAccount = (event: IntentEvent): boolean =>
  event.type === 'IntentCancelled' || (event.type === 'IntentParked' && event.reason === 'rejected');

/**
 * Whether an enrolment has led to a card that was not there before: by its answer, or as an attempt in doubt has turned out. What a
 * lost history may have sent has led to the card that is there.
 */
function makesCard({ type }: IntentEvent, before: IntentState): boolean {
  if (before.status !== 'absent' && before.forgottenAt !== null) return false;
  const isInDoubt = before.status === 'unknown' && attemptRefusedAsDuplicate(before) === null;
  return type === 'AttemptApplied' || (type === 'VerifiedApplied' && isInDoubt);
}

const replacesCard = { replacesCard: true } as const;

/**
 * What parked for the lack of the pass that an enrolment has got, or that a lookup has found, is sent. That may be some where it stands
 * behind other intents, or where the lane had gone on without it: the first ones, the mass of an import, ask nothing more.
 */
export function withPass(work: LaneWork, completion: LaneCompletion, { onRejoin }: Program): LaneCompletion {
  const intent = currentIntent(work);
  if (completion.pass !== 'known' || intent === undefined) return completion;
  const isEnrolled = completion.kind === 'settle' && groupOf(intent.operation) === 'issue';
  if (!isEnrolled && work.pass === 'known') return completion;
  const mayBeMissed = intent.seq > 1 || intent.seq < work.cursor.head;
  return mayBeMissed ? { ...completion, gotPass: { sendsKept: onRejoin === 'send' } } : completion;
}

/** What is recorded with it goes before all that waits. */
export function recordsFirst(completion: LaneCompletion): boolean {
  const { renewal, gotPass, releasesAside, releasesRest, replacesCard } = completion;
  return [renewal, gotPass, releasesAside, releasesRest, replacesCard].some((more) => more !== undefined);
}

/** What is to be written for a step without a call. */
export function completionFor(intent: ClaimedIntent, step: QuietStep): LaneCompletion {
  switch (step.kind) {
    case 'step-over':
      return { kind: 'settle', dueAt: 0, pass: null, events: [] };
    case 'come-back':
      return comeBack(step.as, step.dueAt);
    case 'record':
      return completionOf(intent, step.events, step.evidence);
    case 'record-lost':
      return completionOf(intent, step.events, null);
  }
}

/** Comes back to the same intent later, without an event: nothing has happened to it. */
export function comeBack(kind: ComeBackStep['as'], dueAt: number): LaneCompletion {
  return { kind, dueAt, pass: null, events: [] };
}

/** The lane with what the partner has shown of the pass's names. */
export function withName(work: LaneWork, pass: WalletPass): LaneWork {
  return { ...work, named: passNameOf(pass) };
}

/** What an enrolment says follows as an update where it has found a pass instead of making one. */
export function withRenewal(completion: LaneCompletion, renewal: Renewal | null): LaneCompletion {
  if (renewal === null || completion.kind !== 'settle') return completion;
  const { replacesCard: _none, ...found } = completion;
  return { ...found, renewal };
}

/** The command of an attempt with what the partner calls the pass, where the call is to say that. */
export function namedForSend({ naming }: Addressing, work: LaneWork, command: PartnerCommand): PartnerCommand {
  const { operation } = command;
  const { passId, serialNumber } = work.named ?? {};
  const { [operation]: part } = naming;
  const sent = { ...command, ...shownFor(work, command) };
  if (part === 'passId' && passId !== undefined) return { ...sent, passId };
  return part === 'serialNumber' && serialNumber !== undefined ? { ...sent, serialNumber } : sent;
}

/** The same for a lookup: it asks by what the partner calls the person, where it is to. */
export function namedForLookup({ config }: Addressing, { named }: LaneWork, command: PartnerCommand): PartnerCommand {
  const { personId } = named ?? {};
  const isByPerson = config.lookup.by === 'person_id' && command.by === undefined && personId !== undefined;
  return isByPerson ? { ...command, by: { parameter: 'person_id', value: personId } } : command;
}

/** What the partner called the pass last, for what it answers with the pass: another one would be another member's. */
export function shownFor({ named }: LaneWork, command: PartnerCommand | null): { readonly shown?: PassName } {
  return command !== null && answersKnownPass(command.operation) && named !== null ? { shown: named } : {};
}
