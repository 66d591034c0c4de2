import type { DeliveryEffect } from '../engine/messages.js';
import { placeOf } from './command-for.js';
import type { StoredEvent, StoredLane } from './stored-lane.js';

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
