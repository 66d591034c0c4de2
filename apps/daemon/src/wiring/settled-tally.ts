import { SettledTally } from '#intents';
import type { Logger } from '#platform';
import { BackgroundLoop } from '#platform';

import type { Storage } from './storage.js';

/** How often one looks for events to count, and for a transaction that holds them back to end. */
const idleMs = 500;
const openMs = 100;

const waitMs = { counted: 0, open: openMs, idle: idleMs } as const;

/** Keeps count of what is delivered and cancelled, for the overview. */
export function openSettledTally({ database, clock, random }: Storage, logger: Logger): BackgroundLoop {
  const tally = new SettledTally(database);
  return new BackgroundLoop({
    workOnce: async () => waitMs[await tally.step()],
    close: async () => undefined,
    complaint: 'settled intents were not counted',
    ...{ clock, random, logger },
  });
}
