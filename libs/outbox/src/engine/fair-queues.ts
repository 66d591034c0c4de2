import type { Priority } from '#intents/core';

import { lowerShareMin } from '../claim-turns.js';
import type { ProgramGate } from '../gate/program-gate.js';
import type { LaneWork } from './lane-work.js';

/**
 * The credit that a class may save while others have turns: after a pause it may catch up a little, never monopolise.
 */
const creditTurnsMax = 2;
/** Sums of shares are not exact. */
const roundingError = 1e-9;

/**
 * Weighted deficit round robin (Shreedhar and Varghese 1995): in each round a class earns its quantum, a turn costs 1,
 * and a class that cannot pay waits for the next round. A class that waits alone gets everything. Unlike the original,
 * a class keeps a little of what it earns while nothing of it waits: a class with little work is served at once. Within
 * a round the class named first goes first.
 */
export class DeficitRoundRobin<Class extends string> {
  private readonly quanta = new Map<Class, number>();
  private readonly deficits = new Map<Class, number>();

  /** @param weights 0 or more; a class of weight 0 has turns only where no other waits */
  constructor(weights: Readonly<Record<Class, number>>) {
    this.change(weights);
    // Even the smallest share begins with one turn.
    for (const name of this.quanta.keys()) this.deficits.set(name, 1);
  }

  change(weights: Readonly<Record<Class, number>>): void {
    const entries = Object.entries(weights) as [Class, number][];
    const largest = Math.max(...entries.map(([, weight]) => weight));
    for (const [name, weight] of entries) this.quanta.set(name, weight / largest);
  }

  /** Whose turn it is among those that wait; null: none waits. */
  next(isWaiting: (name: Class) => boolean): Class | null {
    let best: Class | null = null;
    for (const name of this.quanta.keys()) {
      if (isWaiting(name) && (best === null || this.roundsUntil(name) < this.roundsUntil(best))) best = name;
    }
    return best;
  }

  /** The class had a turn. */
  took(name: Class): void {
    const rounds = this.roundsUntil(name);
    if (rounds === Infinity) return;
    for (const [each, quantum] of this.quanta) {
      this.deficits.set(each, Math.min(creditTurnsMax, this.deficitOf(each) + rounds * quantum));
    }
    this.deficits.set(name, this.deficitOf(name) - 1);
  }

  /** Rounds that must pass until it can pay for a turn. */
  private roundsUntil(name: Class): number {
    const missing = 1 - this.deficitOf(name);
    return missing < roundingError ? 0 : Math.ceil(missing / (this.quanta.get(name) ?? 0) - roundingError);
  }

  private deficitOf(name: Class): number {
    return this.deficits.get(name) ?? 0;
  }
}

/** In the order of their coming: a queue that gives up the front in constant time on average. */
export class Queue<Item> {
  private items: Item[] = [];
  private front = 0;

  add(item: Item): void {
    this.items.push(item);
  }

  peek(): Item | undefined {
    return this.items[this.front];
  }

  take(): Item | undefined {
    const item = this.items[this.front];
    if (item === undefined) return undefined;
    this.front += 1;
    if (this.front * 2 > this.items.length) {
      this.items = this.items.slice(this.front);
      this.front = 0;
    }
    return item;
  }

  get length(): number {
    return this.items.length - this.front;
  }
}

/**
 * How long a lane is deferred at first when too many wait for the same limit; the deferral grows while they remain too
 * many.
 */
const deferMsMin = 500;
const deferMsMax = 60_000;

/**
 * The queues of one limit may together hold half of the lanes that a replica holds: more would keep out lanes that do
 * not need this limit. Each limit counts for itself how long it has been reached, so that no lane is deferred for a
 * limit that it does not wait for.
 */
class BacklogLimit {
  /** How long a lane is deferred that finds the limit reached. */
  deferMs = deferMsMin;

  constructor(private readonly queues: readonly { readonly length: number }[]) {}

  isReached(lanesWorthHolding: number): boolean {
    let waiting = 0;
    for (const { length } of this.queues) waiting += length;
    return waiting >= Math.max(1, lanesWorthHolding / 2);
  }

  /** A claim has brought new lanes: counts again how many wait. */
  review(lanesWorthHolding: number): void {
    this.deferMs = this.isReached(lanesWorthHolding) ? Math.min(deferMsMax, 2 * this.deferMs) : deferMsMin;
  }
}

const levelOf = ({ lane: { priority = 1 } }: LaneWork): Level => `${priority}`;
type Level = `${Priority}`;

/** As claims take them: each lower priority keeps its share. */
const levelWeights: Readonly<Record<Level, number>> = {
  0: 1 - 2 * lowerShareMin,
  1: lowerShareMin,
  2: lowerShareMin,
};

/** Lanes that wait for the same, by priority; within one in the order of their coming. */
class LaneQueue {
  readonly levels: Readonly<Record<Level, Queue<LaneWork>>> = { 0: new Queue(), 1: new Queue(), 2: new Queue() };
  private readonly turns = new DeficitRoundRobin(levelWeights);

  get length(): number {
    const { levels } = this;
    return levels[0].length + levels[1].length + levels[2].length;
  }

  add(work: LaneWork): void {
    this.levels[levelOf(work)].add(work);
  }

  take(): LaneWork | undefined {
    const level = this.turns.next((each) => this.levels[each].length > 0);
    if (level === null) return undefined;
    this.turns.took(level);
    return this.levels[level].take();
  }
}

type CallKind = 'request' | 'lookup';
/** `replay`: an operator has requeued the intent. */
type Origin = 'replay' | 'live';

/** Part of the turns, above 0 and at most 1, that each kind may have while others wait. */
export interface TurnShares {
  readonly replays: number;
  readonly lookups: number;
}

/** A lane whose turn it is; the right to the call has been taken. `probe`: only to see whether the partner is back. */
export interface Turn {
  readonly kind: CallKind | 'probe';
  readonly work: LaneWork;
}

function kindWeights({ lookups }: TurnShares): Record<CallKind, number> {
  return { lookup: lookups, request: 1 - lookups };
}

function originWeights({ replays }: TurnShares): Record<Origin, number> {
  return { replay: replays, live: 1 - replays };
}

/**
 * One program's lanes that wait for a turn at its gate, and whose turn is next where turns are scarce: requests and lookups
 * by their shares, and within each of them live traffic and replays by theirs. A share is a promise to the others, no
 * ceiling.
 */
export class FairQueues {
  private readonly queues: Readonly<Record<CallKind, Readonly<Record<Origin, LaneQueue>>>> = {
    request: { replay: new LaneQueue(), live: new LaneQueue() },
    lookup: { replay: new LaneQueue(), live: new LaneQueue() },
  };
  readonly all: readonly Queue<LaneWork>[] = Object.values(this.queues)
    .flatMap(({ live, replay }) => [live, replay])
    .flatMap(({ levels }) => Object.values(levels));
  private readonly lookupLimit = new BacklogLimit([this.queues.lookup.live]);
  /** One limit for both: replays never hold more than half of the lanes, whatever they wait for. */
  private readonly replayLimit = new BacklogLimit([this.queues.request.replay, this.queues.lookup.replay]);
  private readonly kinds: DeficitRoundRobin<CallKind>;
  private readonly origins: Readonly<Record<CallKind, DeficitRoundRobin<Origin>>>;

  constructor(shares: TurnShares) {
    this.kinds = new DeficitRoundRobin(kindWeights(shares));
    const weights = originWeights(shares);
    this.origins = { request: new DeficitRoundRobin(weights), lookup: new DeficitRoundRobin(weights) };
  }

  change(shares: TurnShares): void {
    this.kinds.change(kindWeights(shares));
    for (const origins of Object.values(this.origins)) origins.change(originWeights(shares));
  }

  /** How many lanes wait for a call of that kind; of one origin where that is named. */
  waiting(kind: CallKind, origin?: Origin): number {
    const { live, replay } = this.queues[kind];
    return origin === undefined ? live.length + replay.length : this.queues[kind][origin].length;
  }

  /**
   * Lets a lane wait for its turn.
   * @returns null; or, where too many wait for the same already, for how long it must be deferred instead
   */
  enqueue(
    work: LaneWork,
    { kind, isReplay }: { readonly kind: CallKind; readonly isReplay: boolean },
    lanesWorthHolding: number,
  ): number | null {
    const limit = isReplay ? this.replayLimit : kind === 'lookup' ? this.lookupLimit : null;
    if (limit?.isReached(lanesWorthHolding) === true) return limit.deferMs;
    this.queues[kind][isReplay ? 'replay' : 'live'].add(work);
    return null;
  }

  /** A claim has been answered: adapts how long lanes are deferred from now on. */
  claimed(lanesWorthHolding: number): void {
    this.lookupLimit.review(lanesWorthHolding);
    this.replayLimit.review(lanesWorthHolding);
  }

  /** Takes the next lane that may call the partner now, with the right to do so. */
  next(gate: ProgramGate, now: number): Turn | null {
    if (gate.isProbing(now)) return this.probe(gate, now);
    // A request that must wait for a place is still next: lookups have no more than their share of the turns.
    const kind = this.kinds.next((each) => this.waiting(each) > 0 && (each === 'request' || gate.hasLookupRoom(now)));
    if (kind === null || !(kind === 'lookup' ? gate.tryLookup(now) : gate.tryRequest(now))) return null;
    return this.take(kind);
  }

  /** Takes the right to a request for a lane that waits in none of the queues. */
  tryRequest(gate: ProgramGate, { isReplay, now }: { readonly isReplay: boolean; readonly now: number }): boolean {
    const { request: origins } = this.origins;
    const isYielding =
      isReplay && origins.next((origin) => origin === 'replay' || this.waiting('request', 'live') > 0) === 'live';
    if (isYielding || !gate.tryRequest(now)) return false;
    this.kinds.took('request');
    origins.took(isReplay ? 'replay' : 'live');
    return true;
  }

  /** Live requests had turns without having waited in a queue: a claim has begun them. */
  began(count: number): void {
    for (let turn = 0; turn < count; turn += 1) {
      this.kinds.took('request');
      this.origins.request.took('live');
    }
  }

  /** Any member will do for a read that only shows whether the partner is back; best one that is asked for anyway. */
  private probe(gate: ProgramGate, now: number): Turn | null {
    const { lookup, request } = this.queues;
    const queue = [lookup.live, lookup.replay, request.live, request.replay].find(({ length }) => length > 0);
    if (queue === undefined || !gate.tryLookup(now)) return null;
    return turnOf(queue === lookup.live || queue === lookup.replay ? 'lookup' : 'probe', queue);
  }

  private take(kind: CallKind): Turn | null {
    const origin = this.origins[kind].next((each) => this.waiting(kind, each) > 0);
    if (origin === null) return null;
    this.kinds.took(kind);
    this.origins[kind].took(origin);
    return turnOf(kind, this.queues[kind][origin]);
  }
}

function turnOf(kind: Turn['kind'], queue: LaneQueue): Turn | null {
  const work = queue.take();
  return work === undefined ? null : { kind, work };
}
