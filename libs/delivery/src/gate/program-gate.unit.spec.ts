import { ProgramGate } from './program-gate.js';

const now = 1_000_000;
const open = { concurrency: 2, lookups: 1, requestsPerSecond: null };

describe('ProgramGate', () => {
  it('bounds requests and lookups under way', () => {
    const gate = new ProgramGate(open);
    expect([gate.tryRequest(now), gate.tryRequest(now), gate.tryRequest(now)]).toEqual([true, true, false]);
    gate.finished();
    expect(gate.tryRequest(now)).toBe(true);
    expect([gate.tryLookup(now), gate.tryLookup(now)]).toEqual([true, false]);
    gate.lookupFinished();
    expect(gate.tryLookup(now)).toBe(true);
  });

  it('keeps to the rate over any second, and says when the next token comes', () => {
    const gate = new ProgramGate({ concurrency: 1_000, lookups: 1, requestsPerSecond: 10 });
    const taken = Array.from({ length: 30 }, () => gate.tryRequest(now)).filter(Boolean);
    expect(taken).toHaveLength(10);
    const next = gate.nextChanceAt(now);
    expect(next).toBe(now + 100);
    expect([gate.tryRequest(next - 1), gate.tryRequest(next), gate.tryRequest(next)]).toEqual([false, true, false]);
  });

  it('rests as long as the partner asks for', () => {
    const gate = new ProgramGate(open);
    gate.restUntil(now + 5_000);
    expect([gate.tryRequest(now + 4_999), gate.tryRequest(now + 5_000)]).toEqual([false, true]);
    expect(gate.nextChanceAt(now)).toBe(now + 5_000);
  });

  it('rests after five calls in a row that did not reach the partner, then lets one through', () => {
    const gate = new ProgramGate(open);
    for (let failures = 0; failures < 4; failures += 1) gate.missed(now, 0.5);
    expect(gate.isClosed(now)).toBe(false);
    gate.missed(now, 0.5);
    expect(gate.isClosed(now)).toBe(true);
    const again = gate.nextChanceAt(now);
    expect(again).toBeLessThanOrEqual(now + 30_000);
    expect([gate.tryRequest(again), gate.tryRequest(again)]).toEqual([true, false]);
    gate.finished();
    gate.reached();
    expect([gate.tryRequest(again), gate.tryRequest(again)]).toEqual([true, true]);
  });

  it('wants few lanes under a low rate and none while it rests', () => {
    const gate = new ProgramGate({ concurrency: 64, lookups: 1, requestsPerSecond: 5 });
    expect(gate.lanesWorthHolding(now)).toBe(10);
    gate.restUntil(now + 1_000);
    expect(gate.lanesWorthHolding(now)).toBe(0);
  });
});
