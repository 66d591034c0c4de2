import type { Clock } from '#platform';

/** Waits for `work` no longer than the deadline or the abort; `work` itself goes on for whoever else waits for it. */
export async function waitWithin<T>(
  work: Promise<T>,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<T | 'timeout' | 'aborted'> {
  if (signal?.aborted === true) return 'aborted';
  const end = Promise.withResolvers<'timeout' | 'aborted'>();
  const onAbort = (): void => end.resolve('aborted');
  signal?.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = clock.after(Math.max(0, timeoutMs), () => end.resolve('timeout'));
  try {
    return await Promise.race([work, end.promise]);
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', onAbort);
  }
}
