import type { BackgroundLoop } from '#platform';

/** Work that goes on until it is stopped. */
export type BackgroundWork = Pick<BackgroundLoop, 'start' | 'stop' | 'failingForMs'>;

/** Work whose turns can be long: they are told when it is stopped. */
export function interruptible(open: (stopping: AbortSignal) => BackgroundLoop): BackgroundWork {
  const ending = new AbortController();
  const loop = open(ending.signal);
  return {
    start: () => {
      loop.start();
    },
    stop: () => {
      ending.abort();
      return loop.stop();
    },
    get failingForMs() {
      return loop.failingForMs;
    },
  };
}
