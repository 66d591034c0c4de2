import { OPERATIONS } from '#intents/core';
import type { ClaimedLane } from '#intents';

import {
  applied,
  EngineHarness,
  exampleProgram,
  exampleSettings,
  intent,
  lane,
  startAt,
} from '../testing/engine-harness.js';
import type { DeliveryEffect } from './messages.js';
import { ScheduledProgram } from './scheduled-program.js';

const program = 'coffee-club';
const begunLane = (laneId: number, change: Parameters<typeof lane>[1] = {}): ClaimedLane =>
  lane(laneId, { begunAt: startAt, ...change });

type Claim = Extract<DeliveryEffect, { type: 'Claim' }>;

/** An engine that has just asked for lanes. */
function claiming(change: ConstructorParameters<typeof EngineHarness>[0] = {}): EngineHarness {
  return new EngineHarness(change).step({ type: 'Woken', isWorkLikely: true });
}

const claimed = (harness: EngineHarness, ...lanes: readonly ClaimedLane[]): EngineHarness =>
  harness.step({ type: 'Claimed', program, asked: Math.max(1, lanes.length), lanes });

const failed = (harness: EngineHarness): EngineHarness => harness.step({ type: 'ClaimFailed', program });
const later = (harness: EngineHarness): EngineHarness => {
  harness.now = harness.only('SetTimer').at;
  return harness.step({ type: 'Woken', isWorkLikely: false });
};

const nextClaim = (harness: EngineHarness): Claim => {
  harness.step({ type: 'Woken', isWorkLikely: true });
  return harness.only('Claim');
};

describe('a claim', () => {
  it('may begin as many as there are places, of what nothing is read for first', () => {
    const { begins, limit } = claiming().only('Claim');
    expect(limit).toBeGreaterThan(4);
    expect(begins.max).toBe(4);
    expect(begins.operations).toEqual(OPERATIONS.filter((each) => each !== 'update-via-workflow'));
  });

  it('leaves a place to each lane that is held', () => {
    const harness = claimed(claiming(), lane(1, { pass: 'unknown' }), lane(2, { pass: 'unknown' }));
    expect(harness.only('Claim').begins.max).toBe(2);
  });

  it('gives back what it did not begin, tokens of a rate too', () => {
    const limits = { requestsPerSecond: 20, concurrency: 4, replayShare: 0.2 };
    const harness = claiming({ program: { limits } });
    expect(harness.only('Claim').begins.max).toBe(2);
    claimed(harness);
    expect(nextClaim(harness).begins.max).toBe(2);
  });

  it('begins nothing while something is held, or where calls name the pass as the partner does', () => {
    const held = new ScheduledProgram(program, exampleProgram(), exampleSettings, () => ({}));
    expect(held.startClaim(2, startAt).begins.max).toBe(2);
    held.claimed(startAt, { least: startAt, until: startAt, quietUntil: startAt });
    held.pauses.apply([{ program, operation: 'reward', factor: 'reward:9', automatic: false }], startAt);
    expect(held.startClaim(2, startAt).begins).toEqual({ max: 0, operations: [] });
    const named = claiming({ namingOf: () => ({ transaction: 'passId' }) });
    expect(named.only('Claim').begins.max).toBe(0);
  });
});

describe('a claim that is not answered', () => {
  it('regression: is found by a lease that no lane has which was renewed at the same time, before it or after', () => {
    const work = new ScheduledProgram(program, exampleProgram(), exampleSettings, () => ({}));
    const leases = [
      work.renewedLease(startAt),
      work.startClaim(1, startAt).leaseUntil,
      work.renewedLease(startAt),
      work.startClaim(1, startAt).leaseUntil,
      work.renewedLease(startAt - 5),
    ];
    expect(new Set(leases).size).toBe(leases.length);
    expect(Math.min(...leases)).toBe(startAt + exampleSettings.leaseMs);
  });

  it('regression: finds nothing that is under way here', () => {
    const harness = claimed(claiming(), begunLane(1));
    expect(harness.all('Send')).toHaveLength(1);
    harness.step({ type: 'Woken', isWorkLikely: true });
    claimed(harness, begunLane(1));
    expect(harness.all('Send')).toEqual([]);
    expect(harness.engine.load).toMatchObject({ lanes: 1, requests: 1, openCalls: 1 });
    harness.answered(applied).flushed();
    expect(harness.engine.load).toEqual({ lanes: 0, requests: 0, lookups: 0, openCalls: 0, unwritten: 0 });
  });
});

describe('what a claim has begun', () => {
  it('is sent at once, nothing being written before, and its answer is', () => {
    const harness = claimed(claiming(), begunLane(1));
    expect(harness.all('Flush')).toEqual([]);
    const sendBy = startAt + exampleSettings.sendWindowMs;
    expect(harness.only('Send')).toMatchObject({ laneId: 1, sendBy, origin: { seq: 1, attempt: 1 } });
    const { steps } = harness.answered(applied).only('Flush');
    expect(steps).toMatchObject([
      {
        seq: 1,
        attempt: 1,
        attemptOpen: true,
        completion: { kind: 'settle', events: [{ event: { type: 'AttemptApplied' } }] },
      },
    ]);
  });

  it('takes along the begin of what follows in its lane', () => {
    const harness = claimed(claiming(), begunLane(1, { has: [intent(1), intent(2)] }));
    expect(harness.answered(applied).only('Flush').steps).toMatchObject([{ begin: { seq: 2, attempt: 1 } }]);
    expect(harness.flushed().only('Send')).toMatchObject({ origin: { seq: 2 } });
  });

  const withdrawal = {
    ...{ seq: 1, attempt: 1, attemptOpen: true, carriesAnswer: true, begin: null },
    completion: {
      kind: 'retry',
      events: [{ event: { type: 'AttemptNotApplied', code: 'withdrawn', answered: false } }],
    },
  };
  it.each<[string, Parameters<typeof lane>[1]]>([
    ['cannot be opened', { has: [{ ...intent(1), command: null }], key: null }],
    ['waits for its purchase', { has: [{ ...intent(1), waitsFor: { place: null, status: 'unknown' } }] }],
    ['needs a look', { pass: 'unknown' }],
    ['is planned anew', { has: [{ ...intent(1), plannedAnew: '{}' }] }],
  ])('is withdrawn, without a doubt, where it %s', (_, change) => {
    const harness = claimed(claiming(), begunLane(1, change));
    expect(harness.all('Send')).toEqual([]);
    expect(harness.only('Flush').steps).toMatchObject([withdrawal]);
    harness.flushed();
    expect(harness.engine.load).toEqual({ lanes: 0, requests: 0, lookups: 0, openCalls: 0, unwritten: 0 });
  });

  it('is withdrawn, too, where its operation was held while the claim was under way', () => {
    const harness = claiming().step({ type: 'CoordinationDue' });
    const pauses = [{ program, operation: 'transaction', factor: null, automatic: false }] as const;
    const { at } = harness.only('Coordinate');
    harness.step({ type: 'Coordinated', replicaId: 'a', at, state: { others: [], gates: [], pauses } });
    expect(claimed(harness, begunLane(1)).all('Send')).toEqual([]);
    expect(harness.only('Flush').steps).toMatchObject([withdrawal]);
  });

  it('is never sent later than its lease covers', () => {
    const harness = claiming();
    harness.now = startAt + exampleSettings.sendWindowMs + 1;
    claimed(harness, begunLane(1));
    expect(harness.all('Send')).toEqual([]);
    expect(harness.only('Flush').steps).toMatchObject([
      { completion: { events: [{ event: { type: 'AttemptNotApplied', code: 'send-window-missed' } }] } },
    ]);
  });

  it('is sent, too, where the process is to end', () => {
    const harness = claiming().step({ type: 'DrainRequested' });
    expect(claimed(harness, begunLane(1)).only('Send')).toMatchObject({ laneId: 1 });
    expect(harness.answered(applied).all('Drained')).toEqual([]);
    expect(harness.flushed().all('Drained')).toHaveLength(1);
  });
});

describe('what is begun as it is recorded', () => {
  const quiet = (change: ConstructorParameters<typeof EngineHarness>[0] = {}): EngineHarness => {
    const harness = claiming(change);
    return harness.step({ type: 'Claimed', program, asked: 1, lanes: [], quietUntil: Infinity });
  };
  const takeOver = (harness: EngineHarness, lanes = 1): ReturnType<EngineHarness['engine']['takeOver']> =>
    harness.engine.takeOver(program, lanes, harness.now);
  const tookOver = (harness: EngineHarness, ...lanes: readonly ClaimedLane[]): EngineHarness =>
    harness.step({ type: 'TookOver', program, lanes });

  it('is sent at once, and asks for no claim', () => {
    const harness = quiet();
    expect(takeOver(harness, 9)?.begins).toMatchObject({ max: 4 });
    expect(tookOver(harness, begunLane(1)).only('Send')).toMatchObject({ laneId: 1, origin: { attempt: 1 } });
    expect(harness.all('Claim')).toEqual([]);
  });

  it.each<[string, (harness: EngineHarness) => unknown]>([
    ['a claim is under way', (harness) => nextClaim(harness)],
    [
      'something is known to be due',
      (harness) => harness.engine.absorb({ type: 'Woken', isWorkLikely: true }, harness.now),
    ],
    ['others are being recorded', (harness) => takeOver(harness)],
    ['the process is to end', (harness) => harness.step({ type: 'DrainRequested' })],
    ['the program has gone', (harness) => harness.engine.setPrograms({})],
  ])('is left to a claim while %s', (_, change) => {
    const harness = quiet();
    change(harness);
    expect(takeOver(harness)).toBeNull();
  });

  it('gives its places back where the recording is refused, and is taken over again', () => {
    const harness = quiet();
    takeOver(harness, 4);
    tookOver(harness);
    expect(takeOver(harness, 4)?.begins.max).toBe(4);
    expect(harness.step({ type: 'DrainRequested' }).all('Drained')).toEqual([]);
    expect(tookOver(harness).all('Drained')).toHaveLength(1);
  });

  it('is looked for, before anything else is claimed or taken over, where the commit was not answered', () => {
    const harness = quiet();
    const { leaseUntil } = takeOver(harness)!;
    harness.step({ type: 'TakeOverFailed', program });
    expect(takeOver(harness)).toBeNull();
    expect(later(harness).only('FindBegun')).toMatchObject({ program, leaseUntil });
    expect(harness.all('Claim')).toEqual([]);
    expect(claimed(harness, begunLane(1)).only('Send')).toMatchObject({ laneId: 1 });
    expect(harness.only('Claim').leaseUntil).toBeGreaterThan(leaseUntil);
  });

  it('is looked for beside what a claim may have begun: each by its lease', () => {
    const harness = quiet();
    const { leaseUntil: first } = takeOver(harness)!;
    const { leaseUntil: second } = nextClaim(harness);
    harness.step({ type: 'TakeOverFailed', program });
    failed(harness);
    expect(later(harness).only('FindBegun').leaseUntil).toBe(first);
    expect(claimed(harness, begunLane(1)).only('FindBegun').leaseUntil).toBe(second);
    expect(claimed(harness).all('FindBegun')).toEqual([]);
  });
});

describe('a claim that was not answered', () => {
  it('may have begun something: that is looked for until it is known, before anything else is claimed', () => {
    const harness = claiming();
    const { leaseUntil } = harness.only('Claim');
    expect(later(failed(harness)).only('FindBegun')).toMatchObject({ program, leaseUntil });
    expect(harness.all('Claim')).toEqual([]);
    expect(later(failed(harness)).only('FindBegun')).toMatchObject({ leaseUntil });
    expect(claimed(harness, begunLane(1)).only('Send')).toMatchObject({ laneId: 1 });
    expect(harness.only('Claim').leaseUntil).toBeGreaterThan(leaseUntil);
  });

  it('is looked for by a process that is to end, and by none once its lease is over', () => {
    const harness = claiming();
    const { leaseUntil } = harness.only('Claim');
    failed(harness).step({ type: 'DrainRequested' });
    expect(harness.all('Drained')).toEqual([]);
    expect(later(harness).only('FindBegun')).toMatchObject({ leaseUntil });
    harness.now = leaseUntil;
    expect(failed(harness).all('Drained')).toHaveLength(1);
  });
});
