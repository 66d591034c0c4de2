import type { ProgramsFile } from '#contracts';
import type { Gateway } from '#gateway';
import { createGateway, DialectRegistry } from '#gateway';
import type { BatchLease, FetchedBatch, Ingest, OutcomeSink } from '#ingest';
import { createIngest, createOutcomes, noIngestMetrics } from '#ingest';
import type { BackgroundLoop, Clock, Logger } from '#platform';

import { topics } from '../world/source-event.js';
import type { DaemonPorts } from './daemon-ports.js';
import type { LoadedPrograms } from './loaded-programs.js';

const groupId = 'loyaltyd';

function nobodyConnects(): never {
  throw new Error('nothing here connects to Kafka');
}

export function openGateway({ clock, transport }: DaemonPorts, file: ProgramsFile): Gateway {
  const programs = Object.entries(file.programs).map(([program, { brandId, programId, dialect }]) => {
    return { program, brandId, programId, overrides: dialect };
  });
  return createGateway({
    baseUrl: 'https://wallet.example/brands',
    authUrl: 'https://wallet.example',
    scope: null,
    readCredentials: () => ({ clientId: 'sim', clientSecret: 'sim-secret' }),
    dialects: new DialectRegistry({ file: null, programs }),
    clock,
    transport,
  });
}

export function openIngest(
  { clock, random, database, keys, wake, source, deadLetterSink }: DaemonPorts,
  options: { readonly programs: () => LoadedPrograms; readonly logger: Logger },
): Ingest {
  const ingest = createIngest(
    {
      kafka: {
        connection: nobodyConnects,
        groupId,
        startFrom: { kind: 'earliest' },
        topics,
        deadLetterTopic: 'loyalty.dead-letter',
        deadLetterValue: 'original',
        decompressedBytesMax: 64 * 1024 * 1024,
      },
      cell: { index: 0, count: 1 },
      programs: options.programs,
      database,
      keys,
      clock,
      random,
      wake,
      logger: options.logger,
      metrics: noIngestMetrics,
    },
    { source, deadLetterSink },
  );
  // Instead of Nest's controller: the same patterns lead to the same loop.
  for (const name of Object.keys(topics)) {
    const consume = ({ batch, lease }: { batch: FetchedBatch; lease: BatchLease }): Promise<void> =>
      ingest.loop.consume(batch, lease);
    ingest.server.addHandler(`source.${name}`, consume as never, true);
  }
  return ingest;
}

export function openOutcomes(
  { clock, random, database, keys }: Pick<DaemonPorts, 'random' | 'database' | 'keys'> & { readonly clock: Clock },
  { sink, logger }: { readonly sink: OutcomeSink; readonly logger: Logger },
): BackgroundLoop {
  return createOutcomes(
    {
      connection: nobodyConnects,
      topic: 'loyalty.outcomes',
      database,
      keys: keys.members,
      clock,
      random,
      logger,
      onPublished: () => undefined,
    },
    sink,
  );
}
