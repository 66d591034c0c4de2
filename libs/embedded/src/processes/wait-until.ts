import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is awaited, for the message of the error. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly intervalMs?: number;
}

type Falsy = undefined | null | false | 0 | '';

const intervalMsDefault = 20;

/** Resolves as soon as `condition` returns something truthy; rejects after `timeoutMs`, and at once if it throws. */
export const waitUntil = async <T>(
  condition: () => Promise<T | Falsy> | T | Falsy,
  { what, timeoutMs, intervalMs = intervalMsDefault }: WaitOptions,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (performance.now() >= deadline) throw new Error(`timed out after ${timeoutMs} ms waiting for ${what}`);
    await delay(intervalMs);
  }
};
