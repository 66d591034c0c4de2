import type { LaneBegin, LaneStep, StepResult } from '#intents';

import { applied, EngineHarness, lane, startAt } from '../testing/engine-harness.js';
import type { PendingStep } from './group-commit.js';
import { GroupCommit } from './group-commit.js';
import { startWork } from './lane-work.js';
import type { DeliveryEffect } from './messages.js';

const away = { now: 0, isAway: true };
const defect = { now: 0, isAway: false };

const begin: LaneBegin = { seq: 1, attempt: 1, before: null, leaseUntil: 60_000, sendBy: 2_000 };

function pending(laneId: number, parts: Pick<LaneStep, 'begin'> = { begin }): PendingStep {
  const step = { laneId, epoch: 1, completion: null, ...parts } as LaneStep;
  return { step, completed: startWork(lane(laneId)), answer: null, observation: null };
}

function queueOf(lanes: number, limits = { flushesMax: 2, flushBatchSizeMax: 4 }): GroupCommit {
  const queue = new GroupCommit({ ...limits, flushSpacingMs: 5 });
  for (let laneId = 1; laneId <= lanes; laneId += 1) queue.add(pending(laneId));
  return queue;
}

function lanesOf(effects: readonly DeliveryEffect[]): number[][] {
  return effects.flatMap((effect) => (effect.type === 'Flush' ? [effect.steps.map(({ laneId }) => laneId)] : []));
}

function idsOf(effects: readonly DeliveryEffect[]): number[] {
  return effects.flatMap((effect) => (effect.type === 'Flush' ? [effect.flushId] : []));
}

const results = (laneIds: readonly number[]): StepResult[] =>
  laneIds.map((laneId) => ({ laneId, epoch: 1, completed: true, begun: false, dueAt: Infinity }));

describe('GroupCommit', () => {
  it('never has more commits under way than it may, failed ones and repeated ones included', () => {
    const queue = queueOf(12);
    const ids = idsOf(queue.start(0));
    expect(ids).toHaveLength(2);
    for (const flushId of ids) queue.fail(flushId, away);
    expect(queue.start(1)).toEqual([]);
    expect(idsOf(queue.start(100))).toEqual(ids);
    expect(queue.start(100)).toEqual([]);
    expect(queue.size).toBe(12);
  });

  it('gives a large commit the database to itself, and lets small ones go side by side', () => {
    const limits = { flushesMax: 2, flushBatchSizeMax: 100 };
    for (const [lanes, commits] of [
      [16, 2],
      [17, 1],
    ] as const) {
      const queue = queueOf(lanes, limits);
      queue.start(0);
      queue.add(pending(lanes + 1));
      queue.start(0);
      expect({ lanes, commits: queue.underWay }).toEqual({ lanes, commits });
    }
  });

  it('lets what begins nothing wait a moment after a commit, and what begins something not', () => {
    const outcome = { begin: null };
    const queue = queueOf(0, { flushesMax: 2, flushBatchSizeMax: 100 });
    queue.add(pending(1, outcome));
    const [first = 0] = idsOf(queue.start(0));
    queue.add(pending(2, outcome));
    expect([queue.start(1), queue.nextStartAt()]).toEqual([[], 5]);
    queue.add(pending(3, outcome));
    expect(lanesOf(queue.start(5))).toEqual([[2, 3]]);
    queue.finish(first, results([1]));
    queue.add(pending(4, outcome));
    expect(queue.start(6)).toEqual([]);
    queue.add(pending(5));
    expect(lanesOf(queue.start(7))).toEqual([[4, 5]]);
    expect(queue.nextStartAt()).toBeNull();
  });

  it('does not let many wait, whatever they begin', () => {
    const queue = queueOf(1, { flushesMax: 2, flushBatchSizeMax: 100 });
    queue.start(0);
    for (let laneId = 2; laneId <= 17; laneId += 1) queue.add(pending(laneId, { begin: null }));
    expect(queue.start(1)).toEqual([]);
    queue.add(pending(18, { begin: null }));
    expect(lanesOf(queue.start(1))).toHaveLength(1);
  });

  it('repeats in whatever order the times come, and takes answers in any order', () => {
    const queue = queueOf(8);
    const [one = 0, other = 0] = idsOf(queue.start(0));
    queue.fail(one, { now: 1_000, isAway: true });
    queue.fail(other, { now: 0, isAway: true });
    expect(queue.nextStartAt()).toBe(100);
    expect(idsOf(queue.start(100))).toEqual([other]);
    expect(queue.finish(other, results([5, 6, 7, 8]))).toHaveLength(4);
    expect(idsOf(queue.start(1_100))).toEqual([one]);
    expect(queue.finish(one, results([1, 2, 3, 4])).map(({ item }) => item.step.laneId)).toEqual([1, 2, 3, 4]);
    expect([queue.size, queue.nextStartAt(), queue.isStruggling]).toEqual([0, null, false]);
  });

  it('names no time for a repeat that has no room yet: a timer would fire again and again', () => {
    const queue = queueOf(4, { flushesMax: 1, flushBatchSizeMax: 4 });
    const [flushId = 0] = idsOf(queue.start(0));
    queue.fail(flushId, defect);
    expect(queue.nextStartAt()).toBe(0);
    expect(idsOf(queue.start(0))).toHaveLength(1);
    expect([queue.size, queue.nextStartAt()]).toEqual([4, null]);
  });

  it('waits longer after each failure, up to two seconds', () => {
    const queue = queueOf(1);
    let [flushId = 0] = idsOf(queue.start(0));
    const delays: number[] = [];
    for (let now = 0; delays.length < 8;) {
      queue.fail(flushId, { now, isAway: true });
      const retryAt = queue.nextStartAt() ?? 0;
      delays.push(retryAt - now);
      now = retryAt;
      [flushId = 0] = idsOf(queue.start(now));
    }
    expect(delays).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]);
  });

  it('halves what the database refuses until the step at fault is alone; the others go on', () => {
    const queue = queueOf(4, { flushesMax: 1, flushBatchSizeMax: 4 });
    const written: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const started = queue.start(0);
      const [laneIds] = lanesOf(started);
      if (laneIds === undefined) break;
      const [flushId = 0] = idsOf(started);
      if (laneIds.includes(3)) queue.fail(flushId, defect);
      else written.push(...queue.finish(flushId, results(laneIds)).map(({ item }) => item.step.laneId));
    }
    expect(written).toEqual([1, 2, 4]);
    expect(queue.isStruggling).toBe(false);
    expect(lanesOf(queue.start(1_000))).toEqual([[3]]);
  });

  it('gives a step up that can never be recorded, after minutes or when draining', () => {
    const queue = queueOf(1);
    let [flushId = 0] = idsOf(queue.start(0));
    queue.fail(flushId, defect);
    expect(queue.takeUnprocessable(false)).toEqual([]);
    let now = 0;
    for (let tries = 1; queue.size > 0 && tries < 100; tries += 1) {
      now = queue.nextStartAt() ?? now;
      [flushId = 0] = idsOf(queue.start(now));
      queue.fail(flushId, { now, isAway: false });
      if (queue.takeUnprocessable(false).length > 0) break;
    }
    expect(queue.size).toBe(0);
    expect(now).toBeGreaterThan(60_000);
    const draining = queueOf(1);
    draining.fail(idsOf(draining.start(0))[0] ?? 0, defect);
    expect(draining.takeUnprocessable(true).map(({ step }) => step.laneId)).toEqual([1]);
  });
});

describe('a lane whose step can never be recorded', () => {
  it('does not keep the engine from draining, and leaves nothing counted', () => {
    const harness = new EngineHarness().claimed(lane(1)).flushed().answered(applied);
    harness.step({ type: 'FlushFailed', flushId: harness.only('Flush').flushId, isAway: false });
    harness.step({ type: 'Claimed', program: 'coffee-club', asked: 4, lanes: [] });
    expect(harness.step({ type: 'DrainRequested' }).all('Drained')).toHaveLength(1);
    expect(harness.engine.load).toEqual({ lanes: 0, requests: 0, lookups: 0, openCalls: 0, unwritten: 0 });
  });

  it('frees its request when what failed was a begin', () => {
    const harness = new EngineHarness().claimed(lane(1));
    harness.step({ type: 'FlushFailed', flushId: harness.only('Flush').flushId, isAway: false });
    harness.now = startAt + 1;
    harness.step({ type: 'DrainRequested' });
    expect(harness.engine.load).toEqual({ lanes: 0, requests: 0, lookups: 0, openCalls: 0, unwritten: 0 });
  });
});
