import type { ClockAnchor, Logger } from '#platform';
import { errorFields } from '#platform';

import type { DaemonMetrics } from '../metrics/daemon-metrics.js';

/** Tells the metrics and the log what becomes of the clock. @returns what ends the anchoring */
export function watchClock(
  anchor: ClockAnchor,
  { metrics, logger }: { readonly metrics: DaemonMetrics; readonly logger: Logger },
): () => void {
  anchor.listen({
    measured: (offsetMs) => {
      metrics.clockMoved(offsetMs);
    },
    jumped: (offsetMs) => {
      logger.error({ offsetMs }, 'our clock and the database clock have jumped apart; nothing is claimed or recorded');
    },
    anchored: () => {
      logger.info({}, 'the clock is anchored to the database again');
    },
    failed: (error) => {
      logger.warn(errorFields(error), 'the database clock could not be read');
    },
  });
  return () => {
    anchor.stop();
  };
}
