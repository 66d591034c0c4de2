import { IdleWait } from './idle-wait.js';
import { LocalWake } from './wake.js';

function grown(times: number, wait = new IdleWait({ leastMs: 100, mostMs: 500 })): readonly [IdleWait, number[]] {
  return [wait, Array.from({ length: times }, () => wait.next())];
}

describe('the wait of a loop that finds nothing', () => {
  it('grows up to its most, and begins anew', () => {
    const [wait, waits] = grown(30);
    expect(waits.slice(0, 3)).toEqual([100, expect.closeTo(110), expect.closeTo(121)]);
    expect(waits.at(-1)).toBe(500);
    wait.reset();
    expect(wait.next()).toBe(100);
  });

  it('ends with a notice of work where it has grown long, and not where the loop looks soon anyhow', () => {
    const [wait] = grown(3);
    const wake = new LocalWake();
    let wakes = 0;
    const stop = wait.endWith(wake, { wake: () => (wakes += 1) });
    wake.notify();
    expect(wakes).toBe(0);
    grown(30, wait);
    wake.notify();
    wake.notify();
    expect(wakes).toBe(1);
    expect(wait.next()).toBe(100);
    grown(30, wait);
    stop();
    wake.notify();
    expect(wakes).toBe(1);
  });
});
