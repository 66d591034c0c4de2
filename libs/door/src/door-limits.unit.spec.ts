import { ApiProblem } from '#operations';

import { doorLimits, DoorTurns } from './door-limits.js';

describe('the turns of the door', () => {
  let now: number;
  let turns: DoorTurns;
  const limits = { ...doorLimits, atOnceMax: 3, atOncePerCallerMax: 2, requestsPerSecond: 10, burstMax: 5 };

  beforeEach(() => {
    now = 0;
    turns = new DoorTurns({ monotonic: () => now }, limits);
  });

  const refusal = (caller: string): string | null => {
    try {
      turns.enter(caller)();
      return null;
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      const { status, code, headers } = error.options;
      return `${status} ${code} ${headers?.['retry-after'] ?? ''}`;
    }
  };

  it('are so many at once of a token, and so many of all', () => {
    const leave = [turns.enter('a'), turns.enter('a')];
    expect(refusal('a')).toBe('429 too-many-at-once 1');
    leave.push(turns.enter('b'));
    expect(refusal('c')).toBe('503 door-full 2');
    leave[0]?.();
    leave[0]?.();
    expect(turns.current).toBe(2);
    expect([refusal('c'), refusal('a')]).toEqual([null, null]);
  });

  it('are so many in a second of a token, after a burst; others have their own', () => {
    for (let times = 0; times < 5; times += 1) expect(refusal('a')).toBeNull();
    expect(refusal('a')).toBe('429 too-fast 1');
    expect(refusal('b')).toBeNull();
    now += 100;
    expect([refusal('a'), refusal('a')]).toEqual([null, '429 too-fast 1']);
    now += 60_000;
    for (let times = 0; times < 5; times += 1) expect(refusal('a')).toBeNull();
    expect(refusal('a')).toBe('429 too-fast 1');
  });
});
