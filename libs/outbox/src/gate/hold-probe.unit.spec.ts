import { HoldProbe } from './hold-probe.js';

const start = 1_000_000;

/** Lets that lane through and answers it. @returns whether the hold ends */
function tried(probe: HoldProbe, laneId: number, result: 'served' | 'failed', now: number): boolean {
  expect(probe.mayCall(laneId, now)).toBe(true);
  return probe.answered(laneId, result, now);
}

describe('a hold', () => {
  it('lets one call through at a time, the first after a second', () => {
    const probe = new HoldProbe(start);
    expect(probe.mayCall(1, start + 999)).toBe(false);
    expect([1, 2, 1].map((laneId) => probe.mayCall(laneId, start + 1_000))).toEqual([true, false, true]);
    expect(probe.mayCall(2, start + 61_000)).toBe(true);
  });

  it('asks the more rarely the more calls have failed, ten minutes apart at most', () => {
    const probe = new HoldProbe(start);
    const waits: number[] = [];
    let now = start;
    for (let laneId = 1; laneId <= 20; laneId += 1) {
      const before = now;
      while (!probe.mayCall(laneId, now)) now += 250;
      waits.push(now - before);
      probe.answered(laneId, 'failed', now);
    }
    expect(waits.slice(0, 4)).toEqual([1_000, 1_000, 1_500, 2_250]);
    expect(Math.max(...waits)).toBe(600_000);
  });

  it('does not try a member again at once, and lets a newcomer through all the same', () => {
    const probe = new HoldProbe(start);
    tried(probe, 1, 'failed', start + 1_000);
    expect(probe.wasTried(1)).toBe(true);
    expect(probe.mayCall(1, start + 29_000)).toBe(false);
    tried(probe, 2, 'served', start + 29_000);
    tried(probe, 1, 'failed', start + 30_000);
    expect(probe.mayCall(3, start + 30_000)).toBe(true);
  });

  it('ends when three members were served, and one in ten of those who were tried', () => {
    const probe = new HoldProbe(start);
    tried(probe, 1, 'failed', start + 1_000);
    expect([2, 3, 4].map((laneId) => tried(probe, laneId, 'served', start + 2_000))).toEqual([false, false, true]);
    const seldom = new HoldProbe(start);
    let now = start;
    for (let laneId = 1; laneId <= 30; laneId += 1) tried(seldom, laneId, 'failed', (now += 600_000));
    const ends = [31, 32, 33, 34].map((laneId) => tried(seldom, laneId, 'served', (now += 600_000)));
    expect(ends).toEqual([false, false, false, true]);
  });

  it('takes what was under way when it began as no try of its own', () => {
    const probe = new HoldProbe(start);
    for (const laneId of [1, 2, 3]) probe.answered(laneId, 'failed', start);
    expect(probe.mayCall(4, start + 1_000)).toBe(true);
    probe.answered(4, 'neither', start + 1_100);
    expect(probe.mayCall(5, start + 1_100)).toBe(true);
  });

  it('has deferred lanes looked for: those of which none was tried, and by turns the others', () => {
    const probe = new HoldProbe(start);
    expect(probe.recall(start + 999)).toBeNull();
    expect(probe.recall(start + 1_000)).toBe('fresh');
    expect(probe.recall(start + 1_000)).toBeNull();
    expect([6_000, 30_000, 35_000, 40_000].map((later) => probe.recall(start + later))).toEqual([
      'fresh',
      'tried',
      'fresh',
      'tried',
    ]);
    probe.mayCall(1, start + 45_000);
    expect(probe.recall(start + 50_000)).toBeNull();
  });
});
