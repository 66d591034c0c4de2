import { BackgroundLoop } from './background-loop.js';
import type { Clock } from './clock/clock.js';

describe('a loop in the background', () => {
  it('tells for how long it has tried in vain, until it succeeds', async () => {
    let time = 0;
    let isAway = true;
    let wake: () => void = () => undefined;
    const turned: (() => void)[] = [];
    const nextTurn = (): Promise<void> => new Promise((resolve) => turned.push(resolve));
    const clock = {
      monotonic: () => time,
      sleep: (delayMs: number) => {
        time += delayMs;
        return new Promise<void>((resolve) => (wake = resolve));
      },
    } as unknown as Clock;
    const loop = new BackgroundLoop({
      workOnce: async () => {
        for (const resolve of turned.splice(0)) setImmediate(resolve);
        if (isAway) throw new Error('away');
        return 1_000;
      },
      close: async () => undefined,
      failureMessage: 'not done',
      clock,
      random: { unit: () => 0.5, uuid: () => '', bytes: () => new Uint8Array(0) },
      logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    const first = nextTurn();
    loop.start();
    await first;
    const firstWaitMs = loop.failingForMs;
    expect(firstWaitMs).toBeGreaterThan(0);
    const second = nextTurn();
    wake();
    await second;
    expect(loop.failingForMs).toBeGreaterThan(firstWaitMs);
    isAway = false;
    const third = nextTurn();
    wake();
    await third;
    expect(loop.failingForMs).toBe(0);
    const stopped = loop.stop();
    wake();
    await stopped;
  });
});
