import type { Environment } from '#contracts';
import { BackgroundLoop } from '#platform';
import type { Logger } from '#platform';

import { registerDatabaseMetrics } from '../metrics/database-metrics.js';
import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import type { DatabaseFigures } from '../metrics/read-database-figures.js';
import { readDatabaseFigures } from '../metrics/read-database-figures.js';
import type { Storage } from './storage.js';

/** How often the figures are read, and how long they are told when they cannot be read again. */
const databaseLookMs = 15_000;
const figuresAgeMsMax = 60_000;

/** Keeps figures of the database itself for the metrics. Not yet started. */
export function openDatabaseWatch(
  { database: settings }: Pick<Environment, 'database'>,
  { storage, metrics, logger }: { readonly storage: Storage; readonly metrics: DaemonMetrics; readonly logger: Logger },
): BackgroundLoop {
  const { clock, random, database } = storage;
  const host = settings === null ? '' : new URL(settings.url.value).hostname;
  let latest: { readonly figures: DatabaseFigures; readonly readAt: number } | null = null;
  const isFresh = (readAt: number): boolean => clock.monotonic() - readAt <= figuresAgeMsMax;
  registerDatabaseMetrics(metrics.registry, () => (latest !== null && isFresh(latest.readAt) ? latest.figures : null));
  return new BackgroundLoop({
    workOnce: async () => {
      const readAt = clock.monotonic();
      latest = { figures: await readDatabaseFigures(database, { clock, host }), readAt };
      return databaseLookMs;
    },
    close: async () => undefined,
    complaint: 'the database could not be looked at',
    ...{ clock, random, logger },
  });
}
