import type { ProgramGate } from '../gate/program-gate.js';
import { Crowd } from './crowd.js';
import type { LaneWork } from './lane-work.js';
import type { TurnShares, WaitingTurns } from './turn-order.js';
import { TurnOrder } from './turn-order.js';
import { Turns } from './turns.js';

/** A lane whose turn it is; the right to the call has been taken. `probe`: only to see whether the partner is back. */
export interface DeskTurn {
  readonly kind: 'request' | 'lookup' | 'probe';
  readonly work: LaneWork;
}

/** Where a lane waits for its turn. */
interface WaitingPlace {
  readonly turns: Turns;
  /** Those that it must not join when they are too many already; null: it always may. */
  readonly crowd: Crowd | null;
}

/** One program's lanes that wait for a turn at its gate. */
export class DeskQueues {
  /** Lanes whose next step is an attempt. */
  readonly live = new Turns();
  /** The same for intents that an operator has put back: they yield to live traffic. */
  readonly replays = new Turns();
  /** Lanes whose next step is a lookup. */
  readonly lookups = new Turns();
  /** The same for intents that an operator has put back: they yield to the lookups of live traffic. */
  readonly replayLookups = new Turns();
  readonly all: readonly Turns[] = [this.live, this.replays, this.lookups, this.replayLookups];
  private readonly order: TurnOrder;
  private readonly ofLookups = new Crowd([this.lookups]);
  /** One for both: replays are never more than half of our hands, whatever they wait for. */
  private readonly ofReplays = new Crowd([this.replays, this.replayLookups]);
  private readonly places = {
    live: {
      request: { turns: this.live, crowd: null },
      lookup: { turns: this.lookups, crowd: this.ofLookups },
    },
    replay: {
      request: { turns: this.replays, crowd: this.ofReplays },
      lookup: { turns: this.replayLookups, crowd: this.ofReplays },
    },
  };

  constructor(shares: TurnShares) {
    this.order = new TurnOrder(shares);
  }

  change(shares: TurnShares): void {
    this.order.change(shares);
  }

  get waiting(): WaitingTurns {
    const { live, replays, lookups, replayLookups } = this;
    return {
      live: live.length,
      replays: replays.length,
      lookups: lookups.length,
      replayLookups: replayLookups.length,
    };
  }

  placeFor(kind: 'request' | 'lookup', isReplay: boolean): WaitingPlace {
    return this.places[isReplay ? 'replay' : 'live'][kind];
  }

  /** A claim has been answered: who is put off from now on comes back the later, the longer too many have waited. */
  claimed(lanesWorthHolding: number): void {
    this.ofLookups.reviewed(lanesWorthHolding);
    this.ofReplays.reviewed(lanesWorthHolding);
  }

  /** Takes the next lane that may call the partner now, with the right to do so. */
  next(gate: ProgramGate, now: number): DeskTurn | null {
    if (gate.isProbing(now)) return this.probe(gate, now);
    return this.lookup(gate, now) ?? this.request(gate, now);
  }

  /** Takes the right to a request for a lane that is in none of the queues. */
  tryRequest(gate: ProgramGate, { isReplay, now }: { readonly isReplay: boolean; readonly now: number }): boolean {
    const { live } = this.waiting;
    if ((isReplay && !this.order.mayReplay(live)) || !gate.tryRequest(now)) return false;
    this.order.tookRequest(isReplay, live);
    return true;
  }

  /** Any member will do for a read that only shows whether the partner is back; best one that is asked for anyway. */
  private probe(gate: ProgramGate, now: number): DeskTurn | null {
    const { lookups, replayLookups } = this;
    const queue = [lookups, replayLookups, this.live, this.replays].find(({ length }) => length > 0);
    if (queue === undefined || !gate.tryLookup(now)) return null;
    return turnOf(queue === lookups || queue === replayLookups ? 'lookup' : 'probe', queue);
  }

  private lookup(gate: ProgramGate, now: number): DeskTurn | null {
    const { waiting } = this;
    if (!this.order.isLookupDue(waiting) || !gate.tryLookup(now)) return null;
    const isReplay = this.order.isReplayLookupDue(waiting);
    this.order.tookLookup(isReplay, waiting);
    return turnOf('lookup', isReplay ? this.replayLookups : this.lookups);
  }

  private request(gate: ProgramGate, now: number): DeskTurn | null {
    const { waiting } = this;
    if (waiting.live + waiting.replays === 0 || !gate.tryRequest(now)) return null;
    const isReplay = this.order.isReplayDue(waiting);
    this.order.tookRequest(isReplay, waiting.live);
    return turnOf('request', isReplay ? this.replays : this.live);
  }
}

function turnOf(kind: DeskTurn['kind'], queue: Turns): DeskTurn | null {
  const work = queue.take();
  return work === undefined ? null : { kind, work };
}
