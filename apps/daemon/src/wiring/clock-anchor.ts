import type { Database, Logger, SystemClock } from '#platform';
import { anchorClock, clockAnchorIntervalMs, errorFields } from '#platform';

import type { DaemonMetrics } from '../metrics/daemon-metrics.js';

/** Keeps the clock anchored to the database until stopped. */
export function keepClockAnchored(
  parts: { readonly clock: SystemClock; readonly database: Database },
  tools: { readonly metrics: DaemonMetrics; readonly logger: Logger },
): () => void {
  let cancel: () => void = () => undefined;
  const again = (): void => {
    cancel = parts.clock.after(clockAnchorIntervalMs, () => {
      anchorClock(parts.clock, parts.database)
        .then((movedMs) => {
          tools.metrics.clockMoved(movedMs);
        })
        .catch((error: unknown) => {
          tools.logger.warn(errorFields(error), 'the database clock could not be read');
        })
        .finally(again);
    });
  };
  again();
  return () => {
    cancel();
  };
}
