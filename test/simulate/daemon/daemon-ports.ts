import type { DeliveryPorts } from '#delivery';
import type { HttpTransport } from '#gateway';
import type { DeadLetterSink, Source } from '#ingest';
import type { IngestKeys } from '#intents';
import type { ClockAnchor, Database, Random, Wake } from '#platform';

import type { ProcessClock } from '../kernel/process-clock.js';

/** Everything that a daemon of a world touches outside of itself. */
export interface DaemonPorts {
  readonly clock: ProcessClock;
  readonly random: Random;
  readonly database: Database;
  readonly keys: IngestKeys;
  readonly wake: Wake;
  readonly source: Source;
  readonly transport: HttpTransport;
  readonly deadLetterSink: DeadLetterSink;
  /** All but the partner, which is behind the gateway. */
  readonly delivery: Omit<DeliveryPorts, 'partner'>;
  /** Measures by the bare database, which does not wait for our trust in the clock. */
  readonly anchor: ClockAnchor;
}
