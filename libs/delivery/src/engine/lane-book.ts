import type { ClaimedIntent } from '#intents';

import type { CallOrigin, DeliveryEffect, PartnerCall } from './delivery-effect.js';
import type { LaneWork } from './lane-work.js';
import { isReplay } from './lane-work.js';
import type { LookupPurpose } from './next-action.js';
import type { Lease } from './lease.js';
import { leaseKey } from './lease.js';
import type { ProgramDesk } from './program-desk.js';

/** A lane in our hands with the program's desk that it lies on. */
export interface HeldLane {
  readonly desk: ProgramDesk;
  readonly work: LaneWork;
}

/** A lane with a call to the partner under way. */
export interface OpenCall extends HeldLane {
  readonly intent: ClaimedIntent;
  readonly purpose: LookupPurpose | 'send';
}

function originOf({ work, intent, purpose }: OpenCall): CallOrigin {
  const { seq, traceparent } = intent;
  const { attempt, lane } = work;
  return { seq, attempt, purpose, claimedAt: lane.claimedAt, traceparent, isReplay: isReplay(work) };
}

/** Who holds what: every lane in our hands, the calls under way, and what is to be given back or done. */
export class LaneBook {
  private readonly desks = new Map<string, ProgramDesk>();
  private readonly open = new Map<string, OpenCall>();
  private effects: DeliveryEffect[] = [];
  private releases: Lease[] = [];

  get size(): number {
    return this.desks.size;
  }

  get openCalls(): number {
    return this.open.size;
  }

  hold(desk: ProgramDesk, lease: Lease): void {
    this.desks.set(leaseKey(lease), desk);
    desk.held += 1;
  }

  deskOf(lease: Lease): ProgramDesk | undefined {
    return this.desks.get(leaseKey(lease));
  }

  /** The lane is no longer ours and the database knows it. */
  drop(lease: Lease): void {
    const desk = this.desks.get(leaseKey(lease));
    if (desk === undefined) return;
    this.desks.delete(leaseKey(lease));
    desk.held -= 1;
  }

  /** The lane may still be leased to us: release it. */
  giveBack({ laneId, epoch }: Lease): void {
    this.releases.push({ laneId, epoch });
    this.drop({ laneId, epoch });
  }

  openLookup(call: OpenCall, confirmsAbsence: boolean): void {
    this.effects.push({ type: 'Lookup', confirmsAbsence, ...this.openCall(call) });
  }

  openSend(call: OpenCall, sendBy: number): void {
    this.effects.push({ type: 'Send', sendBy, ...this.openCall(call) });
  }

  private openCall(call: OpenCall): PartnerCall {
    const { laneId, epoch } = call.work.lane;
    const { command } = call.intent;
    if (command === null) throw new Error('a call needs a command');
    this.open.set(leaseKey(call.work.lane), call);
    return { program: call.desk.name, laneId, epoch, command, origin: originOf(call) };
  }

  takeOpen(lease: Lease): OpenCall | undefined {
    const call = this.open.get(leaseKey(lease));
    this.open.delete(leaseKey(lease));
    return call;
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
