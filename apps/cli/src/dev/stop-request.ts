/** Resolves at the first Ctrl-C, SIGTERM or SIGHUP; a second one ends the process at once, and what is bound to it. */
export function stopRequest(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (isStopping) process.exit(1);
      isStopping = true;
      resolve(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}

/** How often the handle that keeps us alive comes up; nothing is done then. */
const wakeIntervalMs = 60_000;

/**
 * Waits without letting the process end. Signal handlers keep no process alive, and the stack's own sockets and
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
