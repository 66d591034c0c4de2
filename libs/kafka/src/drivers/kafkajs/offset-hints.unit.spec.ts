import type { Offsets } from 'kafkajs';

import { recordingLogger } from '../../testing/recording.js';
import { OffsetHints, offsetHintMs } from './offset-hints.js';

interface Timer {
  readonly delayMs: number;
  readonly task: () => void;
}

function startHints(): {
  hints: OffsetHints;
  timers: Set<Timer>;
  told: Offsets[];
  tell: (o: Offsets) => Promise<void>;
} {
  const timers = new Set<Timer>();
  const told: Offsets[] = [];
  const after = (delayMs: number, task: () => void): (() => void) => {
    const timer = { delayMs, task };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const hints = new OffsetHints({ after }, recordingLogger().logger);
  return { hints, timers, told, tell: async (offsets) => void told.push(offsets) };
}

const first = { topic: 'p', partition: 0 };
const second = { topic: 'p', partition: 1 };

describe('what the broker is told of our progress', () => {
  it('is the newest of each partition, together, once a while', () => {
    const { hints, timers, told, tell } = startHints();
    hints.progressed(first, 5, tell);
    hints.progressed(second, 8, tell);
    hints.progressed(first, 7, tell);
    const [timer] = timers;
    expect(timers.size).toBe(1);
    expect(timer?.delayMs).toBe(offsetHintMs);
    expect(told).toEqual([]);
    timer?.task();
    const partitions = [
      { ...first, offset: '7' },
      { ...second, offset: '8' },
    ];
    expect(told).toEqual([{ topics: [{ topic: 'p', partitions }] }]);
  });

  it('is told again after the next progress, and not without one', async () => {
    const { hints, timers, told, tell } = startHints();
    hints.progressed(first, 5, tell);
    await hints.commitPending();
    await hints.commitPending();
    expect(told).toHaveLength(1);
    expect(timers.size).toBe(0);
    hints.progressed(first, 6, tell);
    expect(timers.size).toBe(1);
  });

  it('is nothing about partitions that are dealt anew', async () => {
    const { hints, timers, told, tell } = startHints();
    hints.progressed(first, 5, tell);
    hints.forget();
    await hints.commitPending();
    expect(told).toEqual([]);
    expect(timers.size).toBe(0);
  });

  it('costs nothing when the broker does not take it', async () => {
    const { hints } = startHints();
    hints.progressed(first, 5, () => Promise.reject(new Error('broker away')));
    await expect(hints.commitPending()).resolves.toBeUndefined();
  });
});
