import type { IngestKeys } from '#intents';
import type { Clock, Database, Logger, Random, Tracer, Wake } from '#platform';

import type { DeadLetterValue } from './dead-letters/dead-letters.js';
import type { IngestMetrics } from './ingest-metrics.js';
import type { RoutingPrograms } from './loop/chunk-recorder.js';
import type { StartFrom } from './positions/decide-placement.js';
import type { Cell } from './prepare/prepare-record.js';
import type { KafkaConnection } from './source/kafka/kafka-connection.js';
import type { SourceName } from './transport/kafka-batch-server.js';

/** Kafka as ingest uses it (contracts.md section 3). */
export interface IngestKafkaSettings {
  /** Asked at each connection, so that renewed secrets are used. */
  readonly connection: () => KafkaConnection;
  readonly groupId: string;
  readonly startFrom: StartFrom;
  readonly topics: Readonly<Record<SourceName, string>>;
  /** `null`: no dead letters are published; the quarantine table keeps the records all the same. */
  readonly deadLetterTopic: string | null;
  readonly deadLetterValue: DeadLetterValue;
  /** What one record batch may grow to when it is decompressed; a larger one is set aside. */
  readonly decompressedBytesMax: number;
}

/** Everything ingest needs from its process. */
export interface IngestSettings {
  readonly kafka: IngestKafkaSettings;
  readonly cell: Cell;
  /** Called once per chunk: a reloaded programs file takes effect with the next one. */
  readonly programs: () => RoutingPrograms;
  readonly database: Database;
  readonly keys: IngestKeys;
  readonly clock: Clock;
  readonly random: Random;
  /** Notified after each commit that brought intents. */
  readonly wake: Wake;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer;
}
