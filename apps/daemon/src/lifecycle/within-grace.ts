import type { Clock } from '#platform';

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
