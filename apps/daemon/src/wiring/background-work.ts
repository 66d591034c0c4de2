import type { BackgroundLoop } from '#platform';

/** Work that goes on until it is stopped. */
export type BackgroundWork = Pick<BackgroundLoop, 'start' | 'stop' | 'failingForMs'>;
