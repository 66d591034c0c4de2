import type { IngestSettings } from '#ingest';
import type { Logger, Tracer, Wake } from '#platform';

import type { LiveEnvironment } from '../environment/live-environment.js';
import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import type { ProgramsHolder } from '../programs/programs-holder.js';
import { kafkaConnection } from './kafka-connection.js';
import type { Storage } from './storage.js';

export interface IngestTools {
  readonly programs: ProgramsHolder;
  readonly wake: Wake;
  readonly logger: Logger;
  readonly metrics: DaemonMetrics;
  readonly tracer: Tracer;
}

/** What ingest gets from this process, or null when it has no ingest role. */
export function ingestSettings(
  live: Pick<LiveEnvironment, 'current'>,
  storage: Storage,
  tools: IngestTools,
): IngestSettings | null {
  const { kafka, cell, roles } = live.current;
  if (kafka === null || !roles.includes('ingest')) return null;
  const { members, purchases, rewards, deadLetter } = kafka.topics;
  const { database, keys, clock, random } = storage;
  return {
    kafka: {
      connection: () => kafkaConnection(kafka, () => live.current.kafka ?? kafka),
      groupId: kafka.groupId,
      startFrom: kafka.startFrom,
      topics: { members, purchases, rewards },
      deadLetterTopic: deadLetter,
      deadLetterValue: kafka.deadLetterValue,
      decompressedBytesMax: kafka.decompressedBytesMax,
    },
    cell,
    programs: () => tools.programs.current,
    database,
    keys,
    clock,
    random,
    wake: tools.wake,
    logger: tools.logger,
    metrics: tools.metrics.ingest,
    tracer: tools.tracer,
  };
}
