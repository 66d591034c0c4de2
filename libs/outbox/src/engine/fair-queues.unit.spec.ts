import { evolve } from '#intents/core';

import type { GateLimits } from '../gate/program-gate.js';
import { ProgramGate } from '../gate/program-gate.js';
import { applied, EngineHarness, intent, lane, lookup, startAt } from '../testing/engine-harness.js';
import { DeficitRoundRobin, FairQueues } from './fair-queues.js';
import type { LaneWork } from './lane-work.js';
import { startWork } from './lane-work.js';

const limits: GateLimits = { concurrency: 4, requestsPerSecond: 100, adaptiveMax: 64, lookupShare: 0.1 };
const shares = { replays: 0.2, lookups: 0.1 };
const work: LaneWork = startWork(lane(1));

type Kind = 'live' | 'replays' | 'lookups' | 'replayLookups';

const places = {
  live: { kind: 'request', isReplay: false },
  replays: { kind: 'request', isReplay: true },
  lookups: { kind: 'lookup', isReplay: false },
  replayLookups: { kind: 'lookup', isReplay: true },
} as const;

interface Waiting {
  readonly gate: ProgramGate;
  readonly queues: FairQueues;
}

function add({ queues }: Waiting, kind: Kind, count = 1): void {
  for (let index = 0; index < count; index += 1) queues.enqueue(work, places[kind], Infinity);
}

function waitingWith(counts: Partial<Record<Kind, number>>, change: Partial<GateLimits> = {}): Waiting {
  const waiting = { gate: new ProgramGate({ ...limits, ...change }), queues: new FairQueues(shares) };
  for (const [kind, count] of Object.entries(counts)) add(waiting, kind as Kind, count);
  return waiting;
}

function countsOf({ queues }: Waiting): Record<Kind, number> {
  return {
    live: queues.waiting('request', 'live'),
    replays: queues.waiting('request', 'replay'),
    lookups: queues.waiting('lookup', 'live'),
    replayLookups: queues.waiting('lookup', 'replay'),
  };
}

/** Who had how many turns within that time; every call ends at once. */
function turns(waiting: Waiting, ms: number): Record<Kind, number> {
  const { gate, queues } = waiting;
  const before = countsOf(waiting);
  for (let now = startAt; now < startAt + ms; now += 1) {
    for (let turn = queues.next(gate, now); turn !== null; turn = queues.next(gate, now)) {
      if (turn.kind === 'request') gate.withdrawn();
      else gate.lookupFinished();
    }
  }
  const { live, replays, lookups, replayLookups } = countsOf(waiting);
  return {
    live: before.live - live,
    replays: before.replays - replays,
    lookups: before.lookups - lookups,
    replayLookups: before.replayLookups - replayLookups,
  };
}

describe('turns under a rate of 100 a second', () => {
  it('go to live traffic first: replays have their share and no more', () => {
    const { live, replays } = turns(waitingWith({ live: 2_000, replays: 2_000 }), 10_000);
    expect(live + replays).toBeGreaterThan(990);
    expect(replays).toBeGreaterThanOrEqual(190);
    expect(replays).toBeLessThanOrEqual(210);
  });

  it('go to what waits for a purchase first, and an eighth to each lower priority', () => {
    const waiting = waitingWith({});
    for (let index = 0; index < 2_000; index += 1) {
      for (const priority of [2, 1, 0] as const) {
        waiting.queues.enqueue(startWork(lane(index, { priority })), places.live, Infinity);
      }
    }
    const had = [0, 0, 0];
    for (let now = startAt; had[0]! + had[1]! + had[2]! < 800; now += 1) {
      const turn = waiting.queues.next(waiting.gate, now);
      if (turn === null) continue;
      waiting.gate.withdrawn();
      had[turn.work.lane.priority!]! += 1;
    }
    expect(had).toEqual([600, 100, 100]);
  });

  it('all go to replays where there is no live traffic', () => {
    expect(turns(waitingWith({ replays: 2_000 }), 10_000).replays).toBeGreaterThan(990);
  });

  it('are a tenth for lookups, who starve nobody and are not starved', () => {
    const { live, lookups } = turns(waitingWith({ live: 2_000, lookups: 2_000 }), 10_000);
    expect(lookups).toBeGreaterThanOrEqual(90);
    expect(lookups).toBeLessThanOrEqual(105);
    expect(live).toBeGreaterThan(880);
  });

  it('all go to lookups where nothing else waits', () => {
    expect(turns(waitingWith({ lookups: 2_000 }), 10_000).lookups).toBeGreaterThan(990);
  });

  it('go to lookups of live traffic first: those of replays have their share of a tenth and no more', () => {
    const counts = turns(waitingWith({ live: 2_000, lookups: 2_000, replayLookups: 2_000 }), 10_000);
    expect(counts.lookups + counts.replayLookups).toBeGreaterThanOrEqual(90);
    expect(counts.lookups + counts.replayLookups).toBeLessThanOrEqual(105);
    expect(counts.replayLookups).toBeGreaterThanOrEqual(17);
    expect(counts.replayLookups).toBeLessThanOrEqual(22);
    expect(counts.live).toBeGreaterThan(880);
  });

  it('leave a live lookup waiting for no more than one of ten thousand replays', () => {
    const program = waitingWith({ live: 2_000, replayLookups: 10_000 });
    turns(program, 3_000);
    add(program, 'lookups');
    const before = countsOf(program).replayLookups;
    const end = startAt + 60_000;
    for (let now = startAt + 3_000; countsOf(program).lookups > 0 && now < end; now += 1) {
      const turn = program.queues.next(program.gate, now);
      if (turn?.kind === 'request') program.gate.withdrawn();
      if (turn?.kind === 'lookup') program.gate.lookupFinished();
    }
    expect(countsOf(program).lookups).toBe(0);
    expect(before - countsOf(program).replayLookups).toBeLessThanOrEqual(1);
  });

  it('all go to lookups of replays where nothing else waits, and a tenth beside live requests', () => {
    expect(turns(waitingWith({ replayLookups: 2_000 }), 10_000).replayLookups).toBeGreaterThan(990);
    const { replayLookups } = turns(waitingWith({ live: 2_000, replayLookups: 2_000 }), 10_000);
    expect(replayLookups).toBeGreaterThanOrEqual(90);
    expect(replayLookups).toBeLessThanOrEqual(105);
  });

  it('leave a replay nothing to save up: live traffic that comes back is not made to wait', () => {
    const program = waitingWith({ live: 500 });
    turns(program, 3_000);
    add(program, 'replays', 100);
    add(program, 'live', 100);
    expect(turns(program, 200).replays).toBeLessThanOrEqual(2 + 0.2 * 220);
  });
});

describe('rounds of classes with weights', () => {
  function turnsOf(
    rounds: DeficitRoundRobin<'a' | 'b' | 'c'>,
    count: number,
    isWaiting = (_: string): boolean => true,
  ): string {
    return Array.from({ length: count }, () => {
      const name = rounds.next(isWaiting);
      if (name !== null) rounds.took(name);
      return name ?? '-';
    }).join('');
  }

  it('give each its part, in small portions', () => {
    const rounds = new DeficitRoundRobin({ a: 1, b: 2, c: 4 });
    const turns = turnsOf(rounds, 700);
    for (const [name, share] of [
      ['a', 100],
      ['b', 200],
      ['c', 400],
    ] as const) {
      expect(Math.abs(turns.split(name).length - 1 - share)).toBeLessThanOrEqual(2);
    }
    expect(turns).not.toContain('cccccc');
  });

  it('give the larger part to whoever has the larger weight, even where that is the first', () => {
    const turns = turnsOf(new DeficitRoundRobin({ a: 0.8, b: 0.2, c: 0 }), 500, (name) => name !== 'c');
    expect(turns.split('b').length - 1).toBe(100);
  });

  it('give everything to who waits alone, and no more than two turns of it later to who did not wait', () => {
    const rounds = new DeficitRoundRobin({ a: 1, b: 9, c: 0 });
    expect(turnsOf(rounds, 50, (name) => name === 'a')).toBe('a'.repeat(50));
    expect(turnsOf(rounds, 50, (name) => name === 'b')).toBe('b'.repeat(50));
    expect(turnsOf(rounds, 4, (name) => name !== 'c')).toMatch(/^a{0,2}b+$/);
  });

  it('serve a class without weight where no other waits, and nobody where nobody does', () => {
    const rounds = new DeficitRoundRobin({ a: 0, b: 1, c: 1 });
    turnsOf(rounds, 10);
    expect(turnsOf(rounds, 3, (name) => name === 'a')).toBe('aaa');
    expect(turnsOf(rounds, 4)).not.toContain('a');
    expect(rounds.next(() => false)).toBeNull();
  });

  it('keep to new weights from the next turn on', () => {
    const rounds = new DeficitRoundRobin({ a: 1, b: 1, c: 0 });
    turnsOf(rounds, 10);
    rounds.change({ a: 1, b: 4, c: 0 });
    expect(turnsOf(rounds, 500, (name) => name !== 'c').split('a').length - 1).toBeLessThanOrEqual(102);
  });
});

describe('turns that only calls under way bound', () => {
  it('are shared in the same way', () => {
    const program = waitingWith({ live: 1_000, replays: 1_000 }, { requestsPerSecond: null, concurrency: 4 });
    const { gate, queues } = program;
    const kinds: boolean[] = [];
    for (let count = 0; count < 200; count += 1) {
      const before = countsOf(program).replays;
      if (queues.next(gate, startAt) !== null) gate.withdrawn();
      kinds.push(countsOf(program).replays < before);
    }
    expect(kinds.filter(Boolean).length).toBe(40);
  });
});

describe('a partner that may be back', () => {
  function broken(counts: Partial<Record<Kind, number>>): { readonly program: Waiting; readonly at: number } {
    const program = waitingWith(counts, { requestsPerSecond: null });
    const sample = { operation: 'transaction', durationMs: 1, signal: 'silent' } as const;
    program.gate.answered({ kind: 'write', health: 'cut-off', retryAfterMs: null, sample }, startAt, 0.5);
    return { program, at: program.gate.opensAt(startAt) };
  }

  it('is asked with a lookup that is due anyway', () => {
    const { program, at } = broken({ live: 3, lookups: 3 });
    expect(program.queues.next(program.gate, at - 1)).toBeNull();
    expect(program.queues.next(program.gate, at)).toMatchObject({ kind: 'lookup' });
    expect(program.queues.next(program.gate, at)).toBeNull();
  });

  it('is asked with the lookup of a replay where no other is due', () => {
    const { program, at } = broken({ live: 3, replayLookups: 3 });
    expect(program.queues.next(program.gate, at)).toMatchObject({ kind: 'lookup' });
    expect(countsOf(program)).toMatchObject({ live: 3, replayLookups: 2 });
  });

  it('is asked for a member whose turn it is where no lookup is due', () => {
    const { program, at } = broken({ live: 3 });
    expect(program.queues.next(program.gate, at)).toMatchObject({ kind: 'probe' });
    expect(countsOf(program)).toEqual({ live: 2, replays: 0, lookups: 0, replayLookups: 0 });
  });
});

describe('a lane with an intent that an operator put back', () => {
  const parked = { type: 'IntentParked', at: startAt, reason: 'rejected', lane: 'continue' } as const;
  const replayed = { type: 'IntentReplayed', at: startAt, by: 'ada', reason: 'mended', overtaken: 0 } as const;
  const replay = (seq: number) => intent(seq, 'transaction', evolve(evolve(intent(seq).state, parked), replayed));

  it('keeps no live lane out while many of its kind wait for their lookups, and has it looked up soon', () => {
    const lookedUp = (harness: EngineHarness): number[] => harness.all('Lookup').map(({ laneId }) => laneId);
    const replays = Array.from({ length: 30 }, (_, index) => lane(index + 1, { pass: 'unknown', has: [replay(1)] }));
    const harness = new EngineHarness().claimed(...replays, lane(31, { pass: 'unknown' }), lane(32));
    const { steps } = harness.only('Flush');
    const putOff = steps.filter(({ begin }) => begin === null).map(({ laneId }) => laneId);
    // Half of the hands at most are theirs: that are eight lanes of sixteen.
    expect(putOff).toEqual(Array.from({ length: 22 }, (_, index) => index + 9));
    expect(steps.filter(({ begin }) => begin !== null).map(({ laneId }) => laneId)).toEqual([32]);
    // Even the smallest share begins with one turn.
    expect(lookedUp(harness)).toEqual([1]);
    harness.step({ type: 'LookupAnswered', laneId: 1, epoch: 1, report: lookup('absent'), listed: null });
    expect(lookedUp(harness)).toEqual([31]);
  });

  it('comes back late where its kind is too many, and live lanes that wait for a lookup do not', () => {
    const many = (from: number, count: number, has = [intent(1)]): ReturnType<typeof lane>[] =>
      Array.from({ length: count }, (_, index) => lane(from + index, { pass: 'unknown', has }));
    const harness = new EngineHarness().claimed(...many(1, 9, [replay(1)]));
    for (let round = 1; round <= 6; round += 1) {
      if (harness.all('Flush').length > 0) harness.flushed();
      harness.step({ type: 'Claimed', program: 'coffee-club', asked: 1, lanes: many(100 * round, 1, [replay(1)]) });
    }
    expect(harness.only('Flush').steps[0]?.completion?.dueAt).toBeGreaterThanOrEqual(harness.now + 16_000);
    harness.flushed();
    harness.step({ type: 'Claimed', program: 'coffee-club', asked: 20, lanes: many(1_000, 20) });
    const dueAt = harness.only('Flush').steps.map(({ completion }) => completion?.dueAt ?? 0);
    expect(Math.max(...dueAt)).toBe(harness.now + 500);
  });

  it('waits behind live traffic, also for the intent that follows it', () => {
    const program = { limits: { requestsPerSecond: null, concurrency: 1, replayShare: 0.01 } };
    const harness = new EngineHarness({ program });
    const begun = (): (number | undefined)[] =>
      harness
        .all('Flush')
        .flatMap(({ steps }) => steps.filter(({ begin }) => begin !== null).map(({ laneId }) => laneId));
    harness.claimed(lane(1, { has: [replay(1), replay(2)] }), lane(2), lane(3));
    // Even the smallest share begins with one turn.
    expect(begun()).toEqual([1]);
    harness.flushed().answered(applied, 1);
    expect(begun()).toEqual([2]);
    harness.flushed().answered(applied, 2);
    expect(begun()).toEqual([3]);
  });
});
