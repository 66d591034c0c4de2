import { SystemClock } from './clock.js';

/** How far two readings taken one after the other may lie apart on a loaded machine. */
const readingsApartMs = 250;

describe('SystemClock', () => {
  it('is the wall clock in whole milliseconds before it is anchored', () => {
    const now = new SystemClock().now();
    expect(Number.isInteger(now)).toBe(true);
    expect(Math.abs(now - Date.now())).toBeLessThan(readingsApartMs);
  });

  it('is the database\u2019s clock once anchored, and says how far it moved', () => {
    const clock = new SystemClock();
    const hour = 3_600_000;
    const before = clock.now();
    const moved = clock.anchor(before + hour, clock.monotonic());
    expect(Math.abs(moved - hour)).toBeLessThan(readingsApartMs);
    expect(Math.abs(clock.now() - before - hour)).toBeLessThan(readingsApartMs);
    expect(Math.abs(clock.anchor(before, clock.monotonic()) + hour)).toBeLessThan(readingsApartMs);
  });

  it('goes on from the moment of the reading, not from when it was told', () => {
    const clock = new SystemClock();
    clock.anchor(1_000_000, clock.monotonic() - 5_000);
    expect(clock.now()).toBeGreaterThanOrEqual(1_005_000);
    expect(clock.now()).toBeLessThan(1_005_000 + readingsApartMs);
  });

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
    const before = clock.monotonic();
    await clock.sleep(15);
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual(14);
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
