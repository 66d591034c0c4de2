import type { Factor } from '#intents/core';
import { deferredRange } from '#intents';

import type { HeldCall } from './program-pauses.js';
import { factorHoldsMax, ProgramPauses } from './program-pauses.js';

const manual = { automatic: false } as const;
const now = 1_000_000;

function paused(...pauses: Parameters<ProgramPauses['apply']>[0]): ProgramPauses {
  const result = new ProgramPauses('coffee-club');
  result.apply(pauses, now);
  return result;
}

const dessert: HeldCall = { operation: 'reward', factors: ['reward:9002', 'store:s1'], laneId: 1, memberId: 'm-1' };
const coffee: HeldCall = { operation: 'reward', factors: ['reward:9001', 'store:s1'], laneId: 1, memberId: 'm-1' };
const issue: HeldCall = { operation: 'issue', factors: ['store:s1'], laneId: 1, memberId: 'm-1' };
const isHeld = (pauses: ProgramPauses, call: HeldCall): boolean => pauses.deferral(call, now) !== null;

describe('what is paused of a program', () => {
  it.each([
    [{ program: null, operation: null, ...manual }, true, false],
    [{ program: 'coffee-club', operation: null, ...manual }, true, false],
    [{ program: 'coffee-club', operation: 'reward', ...manual }, false, true],
    [{ program: null, operation: 'reward', factor: null, ...manual }, false, true],
    [{ program: 'tea-club', operation: null, ...manual }, false, false],
    [{ program: 'tea-club', operation: 'reward', ...manual }, false, false],
  ] as const)('%j', (pause, program, reward) => {
    const pauses = paused(pause);
    expect(pauses.isProgramPaused).toBe(program);
    expect(isHeld(pauses, dessert)).toBe(reward);
    expect(isHeld(pauses, issue)).toBe(false);
  });

  it.each([
    ['reward:9002', true, false],
    ['store:s1', true, true],
  ] as const)('by a factor, %s: only calls of the operation that have it', (factor, holdsDessert, holdsCoffee) => {
    const pauses = paused({ program: 'coffee-club', operation: 'reward', factor, ...manual });
    expect([dessert, coffee, issue].map((call) => isHeld(pauses, call))).toEqual([holdsDessert, holdsCoffee, false]);
  });

  it('by a factor of every operation: those that have it, and the program is not paused', () => {
    const pauses = paused({ program: 'coffee-club', operation: null, factor: 'store:s1', ...manual });
    const elsewhere: HeldCall = { ...dessert, factors: ['reward:9002', 'store:s2'] };
    expect([dessert, issue, elsewhere].map((call) => isHeld(pauses, call))).toEqual([true, true, false]);
    expect(pauses.isProgramPaused).toBe(false);
    expect(pauses.deferral(dessert, now)).toMatchObject({ factor: 'store:s1' });
    expect(pauses.apply([], now)).toEqual([{ operation: null, factor: 'store:s1' }]);
  });

  it('by a member: all that they are owed waits in its lane, and nobody else', () => {
    const target = { operation: null, factor: 'member:m-1' } as const;
    const pauses = paused({ program: 'coffee-club', ...target, ...manual });
    const { from, to } = deferredRange(target);
    for (const call of [dessert, issue, { ...issue, isRead: true }]) {
      const held = pauses.deferral(call, now);
      // By a factor it would step aside, and be passed.
      expect(held?.factor).toBeNull();
      expect(held?.until).toBeGreaterThan(from);
      expect(held?.until).toBeLessThanOrEqual(to);
    }
    expect(isHeld(pauses, { ...dessert, memberId: 'm-2' })).toBe(false);
    expect(pauses.resumable().some((range) => range.from <= from && from <= range.to)).toBe(false);
  });

  it('says what is paused no more, whoever had paused it', () => {
    const pauses = paused({ program: null, operation: 'reward', ...manual });
    const others = [{ program: 'coffee-club', operation: 'issue', ...manual } as const];
    expect(pauses.apply(others, now)).toEqual([{ operation: 'reward', factor: null }]);
  });

  it('is what the database said last', () => {
    const pauses = paused({ program: null, operation: null, ...manual });
    expect(pauses.apply([], now)).toEqual([]);
    expect(pauses.isProgramPaused).toBe(false);
  });

  it('has its lanes deferred each into the range of what holds it', () => {
    const target = { operation: 'reward', factor: 'reward:9002' } as const;
    const pauses = paused({ program: 'coffee-club', ...target, ...manual });
    const { from, to } = deferredRange(target);
    const dueAt = pauses.deferral(dessert, now)?.until ?? 0;
    expect(dueAt).toBeGreaterThan(from);
    expect(dueAt).toBeLessThanOrEqual(to);
    expect(pauses.resumable().some((range) => range.from <= dueAt && dueAt <= range.to)).toBe(false);
    expect(pauses.recallable(now + 1e9)).toEqual([]);
  });
});

const held = { operation: 'reward', factor: 'reward:9002', reason: 'broken' } as const;
const inForce = { program: 'coffee-club', operation: 'reward', factor: 'reward:9002', automatic: true } as const;
const target = { operation: 'reward', factor: 'reward:9002' };

describe('a hold of our own', () => {
  it('holds at once, and until a person has lifted it', () => {
    const pauses = paused();
    pauses.want(held, now);
    pauses.want({ ...held, reason: 'broken again' }, now);
    expect([dessert, coffee].map((call) => isHeld(pauses, call))).toEqual([true, false]);
    expect(pauses.takeWanted()).toEqual([held]);
    expect(pauses.takeWanted()).toEqual([]);
    expect(pauses.apply([], now + 10)).toEqual([]);
    pauses.wasSet(held, now + 20);
    // Read before it was recorded: that it is absent means nothing.
    expect(pauses.apply([], now + 20)).toEqual([]);
    expect(isHeld(pauses, dessert)).toBe(true);
    expect(pauses.apply([inForce], now + 30)).toEqual([]);
    expect(pauses.apply([], now + 40)).toEqual([target]);
    expect(isHeld(pauses, dessert)).toBe(false);
    expect(pauses.apply([], now + 50)).toEqual([]);
  });

  it('is recorded again after a while when that failed', () => {
    const pauses = paused();
    pauses.want(held, now);
    pauses.takeWanted();
    pauses.couldNotBeSet(held);
    expect(pauses.takeWanted()).toEqual([]);
    expect(pauses.apply([], now + 10)).toEqual([]);
    pauses.retry();
    expect(pauses.takeWanted()).toHaveLength(1);
  });

  it('lets one call through now and then, and ends when three members were served, on every replica', () => {
    const pauses = paused(inForce);
    expect(pauses.answered(coffee, 'failed', now)).toEqual({ isHeld: false, ended: [] });
    expect(pauses.answered(dessert, 'failed', now)).toEqual({ isHeld: true, ended: [] });
    expect(pauses.recallable(now + 1_000)).toMatchObject([deferredRange(inForce).fresh]);
    const ended = [2, 3, 4].map((laneId) => {
      expect(pauses.deferral({ ...dessert, laneId }, now + 1_000)).toBeNull();
      expect(pauses.deferral({ ...dessert, laneId: 5 }, now + 1_000)).not.toBeNull();
      return pauses.answered({ ...dessert, laneId }, 'served', now + 1_000).ended;
    });
    expect(ended).toEqual([[], [], [target]]);
    pauses.wasLifted(inForce);
    expect(isHeld(pauses, dessert)).toBe(false);
  });

  it('is tried neither where a person has paused the same, nor by a lane that has failed since', () => {
    const both = paused(inForce, { ...inForce, program: null, automatic: false });
    expect(both.deferral(dessert, now + 5_000)).not.toBeNull();
    const pauses = paused(inForce);
    pauses.answered(dessert, 'failed', now);
    expect(pauses.deferral(dessert, now + 5_000)?.until).toBe(deferredRange(inForce).from);
    expect(pauses.deferral({ ...dessert, laneId: 2 }, now + 5_000)).toBeNull();
  });

  it('lets reads through, so that what is in doubt is settled, and they take no turn; a pause of a person holds them', () => {
    const pauses = paused(inForce);
    expect(pauses.deferral({ ...dessert, isRead: true }, now)).toBeNull();
    expect(pauses.deferral({ ...dessert, laneId: 2 }, now + 1_000)).toBeNull();
    const byPerson = paused({ ...inForce, automatic: false });
    expect(byPerson.deferral({ ...dessert, isRead: true }, now)).not.toBeNull();
  });

  it('takes the whole operation when as many factors are held as may be', () => {
    const factors = Array.from({ length: factorHoldsMax }, (_, index): Factor => `store:${index}`);
    const pauses = paused(...factors.map((factor) => ({ ...inForce, program: 'another', factor })));
    pauses.want(held, now);
    expect(pauses.takeWanted()).toEqual([{ ...held, factor: null }]);
  });
});
