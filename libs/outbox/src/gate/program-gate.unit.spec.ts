import type { GateAnswer } from './judge-answer.js';
import type { GateAgreement, GateLimits } from './program-gate.js';
import { ProgramGate } from './program-gate.js';

const now = 1_000_000;
const limits: GateLimits = { concurrency: 2, requestsPerSecond: null, adaptiveMax: 64, lookupShare: 0.1 };

function gateOf(change: Partial<GateLimits> = {}): ProgramGate {
  return new ProgramGate({ ...limits, ...change });
}

function answer(change: Partial<GateAnswer> = {}): GateAnswer {
  const sample = { operation: 'transaction', durationMs: 10, signal: 'silent' } as const;
  return { kind: 'write', health: 'reached', retryAfterMs: null, sample, ...change };
}

function agreement(change: Partial<GateAgreement> = {}): GateAgreement {
  return { place: { rank: 0, count: 1 }, validUntil: now + 3_000, isPaused: false, shared: null, ...change };
}

/** A request of its own has gone to the partner and been answered. */
function ended(gate: ProgramGate): void {
  gate.sent();
  gate.finished();
}

/** A gate whose breaker has just opened. */
function broken(change: Partial<GateLimits> = {}): ProgramGate {
  const gate = gateOf(change);
  for (let failures = 0; failures < 5; failures += 1) gate.answered(answer({ health: 'missed' }), now, 0.5);
  return gate;
}

describe('the gate of a program', () => {
  it('bounds requests and lookups under way', () => {
    const gate = gateOf();
    expect([gate.tryRequest(now), gate.tryRequest(now), gate.tryRequest(now)]).toEqual([true, true, false]);
    ended(gate);
    expect(gate.tryRequest(now)).toBe(true);
    expect([gate.tryLookup(now), gate.tryLookup(now)]).toEqual([true, false]);
    gate.lookupFinished();
    expect(gate.tryLookup(now)).toBe(true);
  });

  it('lets a claim begin for the places that are free, and that no lane at hand can need', () => {
    const gate = gateOf({ concurrency: 8 });
    expect(gate.tryRequest(now)).toBe(true);
    expect(gate.reserve(2, 1, now)).toBe(2);
    expect(gate.reserve(64, 1, now)).toBe(5);
    expect(gate.tryRequest(now)).toBe(false);
    gate.claimEnded(2, 0);
    gate.claimEnded(5, 5);
    expect([gate.reserve(64, 7, now), gate.reserve(64, 8, now)]).toEqual([1, 0]);
    expect(broken().reserve(64, 0, now)).toBe(0);
  });

  it('takes the tokens of a rate for what a claim may begin, and puts back what was not used', () => {
    const gate = gateOf({ concurrency: 64, requestsPerSecond: 20 });
    expect(gate.reserve(64, 0, now)).toBe(2);
    gate.claimEnded(2, 1);
    expect(gate.reserve(64, 0, now)).toBe(1);
    for (let calls = 0; calls < 3; calls += 1) gate.secondCallFollows();
    expect(gate.reserve(64, 0, now)).toBe(0);
  });

  it('keeps to the rate, over any second and after idling, and says when the next token comes', () => {
    const gate = gateOf({ concurrency: 1_000, requestsPerSecond: 50, adaptiveMax: 1_000 });
    const times: number[] = [];
    for (let at = now; at < now + 5_000; at += 3) {
      if (!gate.tryRequest(at)) continue;
      ended(gate);
      times.push(at);
    }
    const mostInOneSecond = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length),
    );
    expect(mostInOneSecond).toBeLessThanOrEqual(56);
    expect(times.length).toBeGreaterThanOrEqual(245);
    const next = gate.nextRequestAt(now + 4_998);
    expect(next).toBeLessThanOrEqual(now + 4_998 + 20);
    expect([gate.tryRequest(next - 1), gate.tryRequest(next), gate.tryRequest(next)]).toEqual([false, true, false]);
  });

  it('counts the second call of a lookup against the rate, and makes the next call wait for it', () => {
    const gate = gateOf({ concurrency: 1_000, requestsPerSecond: 2, adaptiveMax: 1_000 });
    while (gate.tryLookup(now)) gate.lookupFinished();
    const free = gate.nextLookupAt(now);
    gate.secondCallFollows();
    expect(gate.nextLookupAt(now)).toBe(free + 500);
    expect([gate.tryRequest(free), gate.tryRequest(free + 499), gate.tryRequest(free + 500)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('rests as long as the partner asks for, an hour at most', () => {
    const gate = gateOf();
    gate.answered(answer({ retryAfterMs: 5_000 }), now, 0.5);
    expect([gate.tryRequest(now + 4_999), gate.tryRequest(now + 5_000)]).toEqual([false, true]);
    expect(gate.opensAt(now)).toBe(now + 5_000);
    gate.answered(answer({ retryAfterMs: 86_400_000 }), now, 0.5);
    expect(gate.opensAt(now)).toBe(now + 3_600_000);
  });

  it('asks with a read after five calls in a row that the partner did not do, then lets one through', () => {
    const gate = broken();
    expect(gate.isClosed(now)).toBe(true);
    expect([gate.tryRequest(now), gate.tryLookup(now)]).toEqual([false, false]);
    const again = gate.opensAt(now);
    expect(again).toBeLessThanOrEqual(now + 30_000);
    expect([gate.tryRequest(again), gate.tryLookup(again), gate.tryLookup(again)]).toEqual([false, true, false]);
    gate.lookupFinished();
    gate.answered(answer({ kind: 'read' }), again, 0.5);
    expect([gate.tryRequest(again), gate.tryRequest(again)]).toEqual([true, false]);
    ended(gate);
    gate.answered(answer(), again, 0.5);
    expect([gate.tryRequest(again), gate.tryRequest(again)]).toEqual([true, true]);
  });

  it('takes a read that is refused to everybody for a sign of life: others may be able to write', () => {
    const gate = broken();
    const again = gate.opensAt(now);
    gate.answered(answer({ kind: 'read', health: 'refused' }), again, 0.5);
    expect(gate.tryRequest(again)).toBe(true);
    ended(gate);
    gate.answered(answer({ health: 'refused' }), again, 0.5);
    expect(gate.tryRequest(again)).toBe(false);
  });

  it('closes at once when no token is to be had', () => {
    const gate = gateOf();
    gate.answered(answer({ health: 'cut-off' }), now, 0.5);
    expect([gate.tryRequest(now), gate.tryLookup(now)]).toEqual([false, false]);
  });

  it('wants few lanes under a low rate, fewer while it probes, and none while it rests', () => {
    const gate = gateOf({ concurrency: 64, requestsPerSecond: 5 });
    expect(gate.lanesWorthHolding(now)).toBe(10);
    gate.answered(answer({ retryAfterMs: 1_000 }), now, 0.5);
    expect(gate.lanesWorthHolding(now)).toBe(0);
    const closed = broken({ concurrency: 64 });
    expect(closed.lanesWorthHolding(now)).toBe(0);
    expect(closed.lanesWorthHolding(closed.opensAt(now))).toBe(4);
  });

  it('lets a rate below one per second through', () => {
    const gate = gateOf({ concurrency: 4, requestsPerSecond: 0.5 });
    expect([gate.tryRequest(now), gate.tryRequest(now)]).toEqual([true, false]);
    expect(gate.nextRequestAt(now)).toBe(now + 2_000);
    expect([gate.tryRequest(now + 1_999), gate.tryRequest(now + 2_000)]).toEqual([false, true]);
  });

  it('names no time while only the end of another call can help: nobody must look at every token', () => {
    const gate = gateOf({ concurrency: 1, requestsPerSecond: 1 });
    expect([gate.tryRequest(now), gate.nextRequestAt(now + 500)]).toEqual([true, Infinity]);
    ended(gate);
    expect(gate.nextRequestAt(now + 500)).toBe(now + 1_000);
    expect([gate.tryLookup(now + 1_000), gate.nextLookupAt(now + 1_500)]).toEqual([true, Infinity]);
  });
});

describe('attempts that are being recorded', () => {
  /** A group commit of that many answers. */
  const commit = (gate: ProgramGate, answers: number): void => {
    gate.commitStarted();
    for (let count = 0; count < answers; count += 1) {
      gate.tryRequest(now);
      ended(gate);
    }
    gate.commitEnded();
  };
  const begun = (gate: ProgramGate): number => {
    let count = 0;
    while (count < 1_000 && gate.tryRequest(now)) count += 1;
    return count;
  };

  it('are begun beyond the calls at once, as many as are answered during a commit, twice as many in all at most', () => {
    const gate = gateOf({ concurrency: 10, adaptiveMax: 10 });
    for (let count = 0; count < 50; count += 1) commit(gate, 4);
    expect(begun(gate)).toBe(13);
    const fast = gateOf({ concurrency: 10, adaptiveMax: 10 });
    for (let count = 0; count < 50; count += 1) commit(fast, 200);
    expect(begun(fast)).toBe(20);
  });

  it('are not begun in advance where the partner answers slower than the database', () => {
    const gate = gateOf({ concurrency: 10, adaptiveMax: 10 });
    for (let count = 0; count < 50; count += 1) commit(gate, count % 4 === 0 ? 1 : 0);
    expect(begun(gate)).toBe(10);
  });

  it('go to the partner within the limit, and not while it wants no calls', () => {
    const gate = gateOf({ concurrency: 2 });
    for (let count = 0; count < 50; count += 1) commit(gate, 9);
    expect(begun(gate)).toBe(4);
    for (const hasPlace of [true, true, false]) {
      expect(gate.hasPlace(now)).toBe(hasPlace);
      if (hasPlace) gate.sent();
    }
    gate.finished();
    expect(gate.hasPlace(now)).toBe(true);
    gate.answered(answer({ retryAfterMs: 5_000 }), now, 0.5);
    expect([gate.hasPlace(now + 4_999), gate.hasPlace(now + 5_000)]).toEqual([false, true]);
  });

  it('go there although the program was paused since: a pause is for what comes after it', () => {
    const gate = gateOf();
    expect(gate.tryRequest(now)).toBe(true);
    gate.agree(agreement({ isPaused: true }), now);
    expect(gate.hasPlace(now)).toBe(true);
  });
});

describe('a gate among other replicas', () => {
  it('is open for its share only', () => {
    const gate = gateOf({ concurrency: 5 });
    gate.agree(agreement({ place: { rank: 1, count: 2 } }), now);
    expect([1, 2, 3].map(() => gate.tryRequest(now))).toEqual([true, true, false]);
    expect(gate.isShut).toBe(false);
  });

  it('is shut where the limit is too small to be divided', () => {
    const gate = gateOf({ concurrency: 2 });
    gate.agree(agreement({ place: { rank: 2, count: 3 } }), now);
    expect([gate.isShut, gate.tryRequest(now), gate.tryLookup(now), gate.lanesWorthHolding(now)]).toEqual([
      true,
      false,
      false,
      0,
    ]);
  });

  it('begins nothing once the others take us for gone', () => {
    const gate = gateOf();
    gate.agree(agreement(), now);
    expect(gate.tryRequest(now + 3_001)).toBe(false);
    expect(gate.isShut).toBe(false);
    expect(gate.tryRequest(now + 3_000)).toBe(true);
  });

  it('begins nothing while the program is paused, and goes on at once', () => {
    const gate = gateOf();
    gate.agree(agreement({ isPaused: true }), now);
    expect([gate.isShut, gate.tryRequest(now), gate.tryLookup(now)]).toEqual([true, false, false]);
    gate.agree(agreement(), now);
    expect(gate.tryRequest(now)).toBe(true);
  });

  it('tells how many calls are under way, beside its limit', () => {
    const gate = gateOf();
    expect([gate.tryRequest(now), gate.tryLookup(now)]).toEqual([true, true]);
    expect(gate.stateAt(now)).toMatchObject({ limit: 2, inUse: 0 });
    gate.sent();
    expect(gate.stateAt(now)).toMatchObject({ limit: 2, inUse: 1 });
    gate.finished();
    gate.answered(answer(), now, 0.5);
    expect(gate.stateAt(now)).toMatchObject({ inUse: 0, breaker: 'closed', reachedAt: now, since: null });
  });

  it('tells what the partner asked of it, until it is over; and obeys what it asked of others', () => {
    const gate = broken();
    gate.answered(answer({ health: 'none', retryAfterMs: 5_000 }), now, 0.5);
    const news = gate.news('p', now);
    expect(news).toMatchObject({ program: 'p', cooldownUntil: now + 5_000, breakerOpenedAt: now });
    expect(gate.news('p', now + 5_000)).toBeNull();
    const other = gateOf();
    other.agree(agreement({ shared: news }), now);
    expect(other.opensAt(now)).toBe(now + 5_000);
    expect(other.news('p', now)).toBeNull();
    expect(other.stateAt(now)).toEqual({
      ...{ limit: 2, inUse: 0, breaker: 'open', cooldownUntil: now + 5_000 },
      ...{ since: now, openedAt: now, reachedAt: null },
    });
    expect(other.stateAt(now + 5_000)).toMatchObject({ cooldownUntil: null });
  });
});
