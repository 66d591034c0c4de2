import type { Logger } from '#platform';
import { errorFields } from '#platform';

import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { DatabasePresence } from './database-presence.js';
import type { Storage } from './storage.js';

export interface WatchedClock {
  readonly presence: DatabasePresence;
  /** Ends the anchoring. */
  readonly stop: () => void;
}

/** Tells the metrics and the log what becomes of the clock, and whether the database answers. */
export function watchClock(
  { clockAnchor: anchor, clock }: Pick<Storage, 'clockAnchor' | 'clock'>,
  { metrics, logger }: { readonly metrics: DaemonMetrics; readonly logger: Logger },
): WatchedClock {
  const presence = new DatabasePresence(clock);
  presence.register(metrics.registry);
  anchor.listen({
    measured: (offsetMs) => {
      presence.answered();
      metrics.clockMoved(offsetMs);
    },
    jumped: (offsetMs) => {
      metrics.clockJumped();
      logger.error({ offsetMs }, 'our clock and the database clock have jumped apart; nothing is claimed or recorded');
    },
    anchored: () => {
      logger.info({}, 'the clock is anchored to the database again');
    },
    failed: (error) => {
      presence.failed();
      logger.warn(errorFields(error), 'the database clock could not be read');
    },
  });
  return {
    presence,
    stop: () => {
      anchor.stop();
    },
  };
}
