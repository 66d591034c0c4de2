import type { Clock } from '#platform';

/** The process received a signal to stop while it waited. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/**
 * Waits for what may be left at any moment, as the end of the process leaves it.
 * @throws {StoppedError} as soon as the process receives a signal to stop
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

/** Whether the task ended within the grace; it is not waited for any longer. @throws what the task throws */
export async function withinGrace(task: Promise<void>, graceMs: number, clock: Clock): Promise<boolean> {
  let cancel: () => void = () => undefined;
  const over = new Promise<false>((resolve) => {
    cancel = clock.after(graceMs, () => {
      resolve(false);
    });
  });
  try {
    return await Promise.race([task.then(() => true as const), over]);
  } finally {
    cancel();
  }
}
