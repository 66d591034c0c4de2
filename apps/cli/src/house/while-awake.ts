/** How often the handle that keeps us alive comes up; nothing is done then. */
const wakeIntervalMs = 60_000;

/**
 * Waits without letting the process end. Signal handlers keep no process alive, and the house's own sockets and
 * children are all let go of, so that without this `dev` ended by itself as soon as the last idle connection closed.
 */
export async function whileAwake<T>(waiting: Promise<T>): Promise<T> {
  const handle = setInterval(() => undefined, wakeIntervalMs);
  try {
    return await waiting;
  } finally {
    clearInterval(handle);
  }
}
