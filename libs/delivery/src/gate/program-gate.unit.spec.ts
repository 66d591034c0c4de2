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

  it('keeps to the rate, over any second and after idling, and says when the next token comes', () => {
    const gate = new ProgramGate({ concurrency: 1_000, lookups: 1, requestsPerSecond: 50 });
    const times: number[] = [];
    for (let at = now; at < now + 5_000; at += 3) if (gate.tryRequest(at)) times.push(at);
    const mostInOneSecond = Math.max(
      ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length),
    );
    expect(mostInOneSecond).toBeLessThanOrEqual(56);
    expect(times.length).toBeGreaterThanOrEqual(245);
    const next = gate.nextRequestAt(now + 4_998);
    expect(next).toBeLessThanOrEqual(now + 4_998 + 20);
    expect([gate.tryRequest(next - 1), gate.tryRequest(next), gate.tryRequest(next)]).toEqual([false, true, false]);
  });

  it('rests as long as the partner asks for', () => {
    const gate = new ProgramGate(open);
    gate.restUntil(now + 5_000);
    expect([gate.tryRequest(now + 4_999), gate.tryRequest(now + 5_000)]).toEqual([false, true]);
    expect(gate.nextRequestAt(now)).toBe(now + 5_000);
  });

  it('rests after five calls in a row that did not reach the partner, then lets one through', () => {
    const gate = new ProgramGate(open);
    for (let failures = 0; failures < 4; failures += 1) gate.missed(now, 0.5);
    expect(gate.isClosed(now)).toBe(false);
    gate.missed(now, 0.5);
    expect(gate.isClosed(now)).toBe(true);
    const again = gate.nextRequestAt(now);
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

  it('lets a rate below one per second through', () => {
    const gate = new ProgramGate({ concurrency: 4, lookups: 1, requestsPerSecond: 0.5 });
    expect([gate.tryRequest(now), gate.tryRequest(now)]).toEqual([true, false]);
    expect(gate.nextRequestAt(now)).toBe(now + 2_000);
    expect([gate.tryRequest(now + 1_999), gate.tryRequest(now + 2_000)]).toEqual([false, true]);
  });

  it('names no time while only the end of another call can help: nobody must look at every token', () => {
    const gate = new ProgramGate({ concurrency: 1, lookups: 1, requestsPerSecond: 1 });
    expect([gate.tryRequest(now), gate.nextRequestAt(now + 500)]).toEqual([true, Infinity]);
    gate.finished();
    expect(gate.nextRequestAt(now + 500)).toBe(now + 1_000);
    expect([gate.tryLookup(now + 1_000), gate.nextLookupAt(now + 1_500)]).toEqual([true, Infinity]);
  });

  it('rests no longer for the calls that were under way when it closed', () => {
    const [few, many] = [5, 64].map((failures) => {
      const gate = new ProgramGate(open);
      for (let failed = 0; failed < failures; failed += 1) gate.missed(now, 0.9);
      return gate.opensAt(now);
    });
    expect(many).toBe(few);
    expect(few).toBeGreaterThan(now);
  });
});
