import { Breaker } from './breaker.js';

const now = 1_000_000;

function opened(): Breaker {
  const breaker = new Breaker();
  for (let failures = 0; failures < 5; failures += 1) breaker.failed(now, 0.5);
  return breaker;
}

describe('the circuit breaker', () => {
  it('opens after five failures in a row, not four, and not when there was a success between', () => {
    const breaker = new Breaker();
    for (let failures = 0; failures < 4; failures += 1) breaker.failed(now, 0.5);
    breaker.reached(now, 'write');
    for (let failures = 0; failures < 4; failures += 1) breaker.failed(now, 0.5);
    expect(breaker.stage(now)).toBe('closed');
    breaker.failed(now, 0.5);
    expect(breaker.stage(now)).toBe('open');
  });

  it('probes with a read, then tries one call, then closes', () => {
    const breaker = opened();
    const at = breaker.openUntil(now);
    expect(at).toBeGreaterThan(now);
    expect(breaker.stage(at - 1)).toBe('open');
    expect(breaker.stage(at)).toBe('probing');
    breaker.reached(at, 'read');
    expect(breaker.stage(at)).toBe('trying');
    breaker.reached(at, 'read');
    expect(breaker.stage(at)).toBe('trying');
    breaker.reached(at, 'write');
    expect(breaker.stage(at)).toBe('closed');
  });

  it.each([
    ['the read fails', (): void => undefined],
    ['reads work but the call fails', (breaker: Breaker, at: number) => breaker.reached(at, 'read')],
  ])('opens again for longer when %s', (_, meanwhile) => {
    const breaker = opened();
    let at = now;
    let openMs = 0;
    for (let round = 0; round < 3; round += 1) {
      const until = breaker.openUntil(at);
      expect(until - at).toBeGreaterThan(openMs);
      openMs = until - at;
      at = until;
      meanwhile(breaker, at);
      breaker.failed(at, 0.9);
      expect(breaker.stage(at)).toBe('open');
    }
  });

  it('tells since when it has not been closed, however often it has opened since', () => {
    const breaker = opened();
    expect(breaker.history).toEqual({ since: now, openedAt: now, reachedAt: null });
    const again = breaker.openUntil(now);
    breaker.failed(again, 0.5);
    expect(breaker.history).toEqual({ since: now, openedAt: again, reachedAt: null });
    const at = breaker.openUntil(again);
    breaker.reached(at, 'read');
    expect(breaker.history).toEqual({ since: now, openedAt: again, reachedAt: at });
    breaker.reached(at + 1, 'write');
    expect(breaker.history).toEqual({ since: null, openedAt: null, reachedAt: at + 1 });
  });

  it('never rests for more than half a minute', () => {
    const breaker = opened();
    for (let round = 0, at = now; round < 20; round += 1) {
      const until = breaker.openUntil(at);
      expect(until - at).toBeLessThanOrEqual(30_000);
      at = until;
      breaker.failed(at, 0.99);
    }
  });

  it('opens at once when no token is to be had', () => {
    const breaker = new Breaker();
    breaker.trip(now, 0.5);
    expect(breaker.stage(now)).toBe('open');
  });

  it('rests no longer for the calls that were under way when it opened, nor shorter', () => {
    const breaker = opened();
    const until = breaker.openUntil(now);
    for (let call = 0; call < 60; call += 1) breaker.failed(now + 1, 0.9);
    breaker.reached(now + 2, 'write');
    expect(breaker.openUntil(now + 2)).toBe(until);
    // But there was an answer: no probe is needed any more.
    expect(breaker.stage(until)).toBe('trying');
  });

  it('tells others of its own opening only, and while it lasts', () => {
    const breaker = opened();
    const until = breaker.openUntil(now);
    expect(breaker.ownOpening(now)).toEqual({ openedAt: now, until });
    expect(breaker.ownOpening(until)).toBeNull();
    const other = new Breaker();
    other.adopt({ openedAt: now, until }, now);
    expect(other.stage(now)).toBe('open');
    expect(other.ownOpening(now)).toBeNull();
    expect(other.stage(until)).toBe('probing');
  });

  it('does not believe others when it has reached the partner since', () => {
    const breaker = new Breaker();
    breaker.reached(now + 1, 'write');
    breaker.adopt({ openedAt: now, until: now + 1_000 }, now + 2);
    expect(breaker.stage(now + 2)).toBe('closed');
    breaker.adopt({ openedAt: now + 2, until: now + 1_000 }, now + 3);
    expect(breaker.stage(now + 3)).toBe('open');
  });
});

describe('calls of one reward that fail', () => {
  const missed = { kind: 'write', health: 'missed' } as const;

  function after(...rewards: readonly (string | null)[]): string {
    const breaker = new Breaker();
    for (const reward of rewards) breaker.heard({ ...missed, reward }, 1_000, 0);
    return breaker.stage(1_000);
  }

  it('are no outage, however many: that reward is held', () => {
    expect(after(...Array.from({ length: 50 }, () => '9002'))).toBe('closed');
  });

  it.each([
    [['9002', '9002', '9002', '9002', '9001']],
    [['9002', '9002', '9002', '9002', null]],
    [['9002', '9002', '9002', '9002', '9002', '9002', null]],
  ])('are part of one, where other calls fail, too: %j', (rewards) => {
    expect(after(...rewards)).toBe('open');
  });
});
