import type { Clock } from '../clock/clock.js';

/** Sleeps; false when `signal` cut it short. */
export function nap(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(delayMs, signal).then(
    () => true,
    () => false,
  );
}
