/** The process was told to stop while it waited. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/**
 * Waits for what may be left at any moment, as the end of the process leaves it.
 * @throws {StoppedError} as soon as the process is told to stop
 */
export async function unlessStopped<T>(work: Promise<T>, stopping: AbortSignal): Promise<T> {
  const stop = Promise.withResolvers<never>();
  const onStop = (): void => {
    stop.reject(new StoppedError());
  };
  stopping.addEventListener('abort', onStop, { once: true });
  if (stopping.aborted) onStop();
  try {
    return await Promise.race([work, stop.promise]);
  } finally {
    stopping.removeEventListener('abort', onStop);
  }
}
