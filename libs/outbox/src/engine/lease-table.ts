import type { PartnerCommand, PassName } from '#intents/core';
import { answersKnownPass } from '#intents/core';
import type { ClaimedIntent, Lease } from '#intents';
import { leaseKey } from '#intents';

import { Queue } from './fair-queues.js';
import type { LaneWork } from './lane-work.js';
import { isReplay } from './lane-work.js';
import type { CallOrigin, DeliveryEffect, LookupCallPurpose, PartnerCall } from './messages.js';
import type { ScheduledProgram } from './program-scheduler.js';
import { SlotMap } from './slot-map.js';

/** A held lane and its program. */
export interface HeldLane {
  readonly program: ScheduledProgram;
  readonly work: LaneWork;
}

/** A lane with a call to the partner under way. */
export interface OpenCall extends HeldLane {
  readonly intent: ClaimedIntent;
  readonly purpose: LookupCallPurpose | 'send';
}

/** A call whose right to be made has been taken, and that waits until one before it has ended. */
export interface WaitingCall {
  readonly call: OpenCall;
  /** Epoch ms: later it must not be made. */
  readonly sendBy: number;
}

function originOf({ work, intent, purpose }: OpenCall): CallOrigin {
  const { seq, traceparent } = intent;
  const { attempt, lane } = work;
  return { seq, attempt, purpose, claimedAt: lane.claimedAt, traceparent, isReplay: isReplay(work) };
}

/** The command with what the partner calls the pass, where the call is to say that. */
function namedCommand({ program, work, purpose }: OpenCall, command: PartnerCommand): PartnerCommand {
  const { passId, serialNumber, personId } = work.named ?? {};
  if (purpose === 'send') {
    const part = naming(program, command);
    const sent = { ...command, ...shownFor(work, command) };
    if (part === 'passId' && passId !== undefined) return { ...sent, passId };
    return part === 'serialNumber' && serialNumber !== undefined ? { ...sent, serialNumber } : sent;
  }
  const isByPerson = program.config.lookup.by === 'person_id' && command.by === undefined && personId !== undefined;
  return isByPerson ? { ...command, by: { parameter: 'person_id', value: personId } } : command;
}

/** What the partner called the pass last, for what it answers with the pass: another one would be another member's. */
export function shownFor({ named }: LaneWork, command: PartnerCommand | null): { readonly shown?: PassName } {
  return command !== null && answersKnownPass(command.operation) && named !== null ? { shown: named } : {};
}

function naming(program: ScheduledProgram, { operation }: PartnerCommand): string {
  return operation === 'transaction' || operation === 'reward' ? program.naming[operation] : 'unique_id';
}

/** Every lane that we hold, the calls under way, and the lanes to release or to work on. */
export class LeaseTable {
  private readonly holders = new Map<number, ScheduledProgram>();
  private readonly open = new SlotMap<OpenCall>();
  /** In the order of their coming: how many may be under way at once is the partner's, not the database's. */
  private readonly waiting = new Map<ScheduledProgram, Queue<WaitingCall>>();
  private effects: DeliveryEffect[] = [];
  private releases: Lease[] = [];

  get size(): number {
    return this.holders.size;
  }

  get openCalls(): number {
    return this.open.size;
  }

  hold(program: ScheduledProgram, lease: Lease): void {
    this.holders.set(leaseKey(lease), program);
    program.held += 1;
  }

  programOf(lease: Lease): ScheduledProgram | undefined {
    return this.holders.get(leaseKey(lease));
  }

  /** The lane is no longer ours and the database knows it. @param dueAt when it comes due, epoch ms */
  drop(lease: Lease, dueAt: number): void {
    const key = leaseKey(lease);
    const program = this.holders.get(key);
    if (program === undefined) return;
    this.holders.delete(key);
    program.held -= 1;
    program.comesDue(dueAt);
  }

  /** The lane may still be leased to us: release it. */
  release({ laneId, epoch }: Lease): void {
    this.releases.push({ laneId, epoch });
    this.drop({ laneId, epoch }, 0);
  }

  openLookup(call: OpenCall, confirmsAbsence: boolean): void {
    this.effects.push({ type: 'Lookup', confirmsAbsence, ...this.openCall(call) });
  }

  /** The call is made once it has a place at the partner. */
  awaitPlace(waiting: WaitingCall): void {
    const { program } = waiting.call;
    const queue = this.waiting.get(program) ?? new Queue();
    this.waiting.set(program, queue);
    queue.add(waiting);
  }

  /** The next call of a program that may be made now, or may not be made any more; null: there is none. */
  nextCall(program: ScheduledProgram, now: number): WaitingCall | null {
    const queue = this.waiting.get(program);
    const next = queue?.peek();
    if (next === undefined) this.waiting.delete(program);
    const isReady = next !== undefined && (program.gate.hasPlace(now) || now > next.sendBy);
    return isReady ? (queue?.take() ?? null) : null;
  }

  /** When the first of the waiting calls may not be made any more; null: none waits. */
  nextLapseAt(): number | null {
    const times = [...this.waiting.values()].flatMap((queue) => queue.peek()?.sendBy ?? []);
    return times.length === 0 ? null : Math.min(...times) + 1;
  }

  /** It has its place at the partner now. */
  openWaiting({ call, sendBy }: WaitingCall): void {
    if (call.purpose === 'send') this.effects.push({ type: 'Send', sendBy, ...this.openCall(call) });
    else this.openLookup(call, false);
  }

  private openCall(call: OpenCall): PartnerCall {
    const { laneId, epoch } = call.work.lane;
    if (call.intent.command === null) throw new Error('a call needs a command');
    const command = namedCommand(call, call.intent.command);
    this.open.set(leaseKey(call.work.lane), call);
    return { program: call.program.name, laneId, epoch, command, origin: originOf(call) };
  }

  takeOpen(lease: Lease): OpenCall | undefined {
    return this.open.take(leaseKey(lease));
  }

  want(effect: DeliveryEffect): void {
    this.effects.push(effect);
  }

  takeEffects(): DeliveryEffect[] {
    const effects = this.effects;
    if (this.releases.length > 0) effects.push({ type: 'Release', lanes: this.releases });
    this.effects = [];
    this.releases = [];
    return effects;
  }
}
