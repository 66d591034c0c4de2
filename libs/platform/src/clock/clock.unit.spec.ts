import { SystemClock } from './clock.js';

const startedAt = 1_763_700_000_000;

describe('SystemClock', () => {
  beforeEach(() => jest.useFakeTimers({ now: startedAt }));

  afterEach(() => jest.useRealTimers());

  it('is the wall clock in whole milliseconds before it is anchored', () => {
    const clock = new SystemClock();
    expect(clock.now()).toBe(startedAt);
    jest.advanceTimersByTime(1_234.5);
    expect(Number.isInteger(clock.now())).toBe(true);
    expect(clock.now()).toBe(startedAt + 1_235);
  });

  it('is the database\u2019s clock once anchored, and says how far it moved', () => {
    const clock = new SystemClock();
    const hour = 3_600_000;
    expect(clock.anchor(startedAt + hour, clock.monotonic())).toBe(hour);
    expect(clock.now()).toBe(startedAt + hour);
    expect(clock.anchor(startedAt, clock.monotonic())).toBe(-hour);
  });

  it('goes on from the moment of the reading, not from when it was told', () => {
    const clock = new SystemClock();
    clock.anchor(1_000_000, clock.monotonic() - 5_000);
    expect(clock.now()).toBe(1_005_000);
  });
});

describe('SystemClock, in real time', () => {
  it('never goes back by itself', () => {
    const clock = new SystemClock();
    const readings = Array.from({ length: 1_000 }, () => clock.now());
    expect(readings).toEqual(readings.toSorted((a, b) => a - b));
  });

  it('runs a task once after its delay, unless cancelled', async () => {
    const clock = new SystemClock();
    const ran: string[] = [];
    const cancel = clock.after(5, () => ran.push('cancelled'));
    await new Promise<void>((resolve) => {
      clock.after(-1, () => ran.push('at once'));
      clock.after(10, () => {
        ran.push('later');
        resolve();
      });
      cancel();
      cancel();
    });
    expect(ran).toEqual(['at once', 'later']);
  });

  it('sleeps at least its delay', async () => {
    const clock = new SystemClock();
    const order: string[] = [];
    // Timers run in the order in which they are due, however late the process comes to them.
    clock.after(14, () => order.push('less'));
    await clock.sleep(15).then(() => order.push('slept'));
    expect(order).toEqual(['less', 'slept']);
  });

  it.each([
    ['before', AbortSignal.abort()],
    ['while sleeping', AbortSignal.timeout(5)],
  ])('wakes up when aborted %s', async (_name, signal) => {
    await expect(new SystemClock().sleep(60_000, signal)).rejects.toThrow(/abort/i);
  });

  it('sleeps longer than one timer can without firing at once', async () => {
    const slept = new SystemClock().sleep(Number.MAX_SAFE_INTEGER, AbortSignal.timeout(20));
    await expect(slept).rejects.toThrow(/abort/i);
  });
});
