import { keepPartitions, partitionPositions } from '#intents';
import type { Logger } from '#platform';
import { BackgroundLoop } from '#platform';

import type { Storage } from './storage.js';

/** Of the fastest house measured, a partition lasts for ten minutes. */
const lookMs = 60_000;
const busyMs = 5_000;

/** Makes partitions of the events ahead of the one in use. */
export function openPartitionKeeper(storage: Storage, partitionsAhead: number, logger: Logger): BackgroundLoop {
  const { database, clock, random } = storage;
  return new BackgroundLoop({
    workOnce: async () => {
      const { made, isBusy } = await keepPartitions(database, {
        ahead: partitionsAhead,
        positions: partitionPositions,
      });
      if (made.length > 0) logger.info({ partitions: made }, 'partitions of events were made');
      return isBusy ? busyMs : lookMs;
    },
    close: async () => undefined,
    complaint: 'partitions of events were not made',
    ...{ clock, random, logger },
  });
}
