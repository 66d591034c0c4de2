import { exitError } from './exit-codes.js';

/** Aborted at the first SIGTERM or SIGINT, with its name as the reason; a second one ends the process at once. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (stopping.signal.aborted) process.exit(exitError);
    stopping.abort(name);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return stopping.signal;
}

/** Resolves when the process is told to stop. */
export async function stopped(stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }));
}
