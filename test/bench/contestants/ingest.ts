import { Logger as NestLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

import { SourceTables } from '#events';
import { openNamed } from '#events/formats';
import { LocalWake, type Logger } from '#platform';
import type { IngestSettings } from '#events/ingest';
import { EventsModule, Ingest, IngestModule, noIngestMetrics } from '#events/ingest';

import { tillSources } from '../backlog/till-receipt.js';
import type { BenchStore } from '../bench-parts.js';
import { benchPrograms, benchSources, CountingDatabase, openStore } from '../bench-parts.js';
import type { Contestant, KafkaInput, RoundFigures, RoundInput } from './contestant.js';
import type { IngestTiming } from './ingest-timing.js';
import { CommitLog, FirstToLast } from './ingest-timing.js';

const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields, message) => console.error(message, fields),
  error: (fields, message) => console.error(message, fields),
};

interface IngestParts {
  readonly kafka: KafkaInput;
  readonly store: BenchStore;
  readonly database: CountingDatabase;
  readonly timing: IngestTiming;
}

/** What is read, and as what. */
type Reads = (kafka: KafkaInput) => Pick<IngestSettings, 'programs' | 'sources'> & { readonly purchases: string };

/** Events of ours, by the native topics. */
const native: Reads = ({ topic }) => {
  const programs = benchPrograms(1);
  return { programs: () => programs, purchases: topic };
};

/** Receipts, by the topic of a source that maps them; nothing comes by the native ones. */
const mapped: Reads = ({ topic }) => {
  const programs = benchSources(tillSources(topic));
  const purchases = `${topic}.purchases`;
  const topics = { purchases, members: `${topic}.members`, rewards: `${topic}.rewards` };
  return {
    programs: () => programs,
    purchases,
    sources: new SourceTables({ topics, written: [], openFormat: ({ format }) => openNamed(format, null, {}) }),
  };
};

const settingsOf = ({ kafka, store, database, timing }: IngestParts, reads: Reads): IngestSettings => {
  const { purchases, ...read } = reads(kafka);
  return {
    kafka: {
      connection: () => ({ brokers: kafka.brokers.split(','), clientId: 'loyaltyd-bench' }),
      groupId: kafka.groupId,
      startFrom: { kind: 'earliest' },
      topics: { members: `${kafka.topic}.members`, purchases, rewards: `${kafka.topic}.rewards` },
      deadLetterTopic: null,
      deadLetterValue: 'none',
      decompressedBytesMax: 64 * 1024 * 1024,
    },
    ...read,
    database,
    keys: store.keys,
    clock: store.clock,
    random: store.random,
    wake: new LocalWake(),
    logger: quiet,
    metrics: {
      ...noIngestMetrics,
      eventsIngested: (_topic, result, count) => {
        if (result === 'recorded') timing.committed(count);
        else timing.fail(`${count} records were ${result}`);
      },
    },
  };
};

/** Consumes until the timing is content. */
const play = async (
  input: RoundInput,
  timingOf: (statements: () => number) => IngestTiming,
  reads = native,
): Promise<RoundFigures> => {
  const { kafka } = input;
  if (kafka === null) throw new Error('ingest needs Kafka');
  const store = await openStore(input.databaseUrl, input.encryptionKey);
  const database = new CountingDatabase(store.database);
  const timing = timingOf(() => database.statements);
  const module = EventsModule.forRoot(IngestModule.forRoot(settingsOf({ kafka, store, database, timing }, reads)));
  NestLogger.overrideLogger(false);
  const app = await NestFactory.create(module, new FastifyAdapter());
  app.connectMicroservice({ strategy: app.get(Ingest).server });
  await app.startAllMicroservices();
  const figures = await timing.finished;
  await app.close();
  await store.close();
  return figures;
};

/** The daemon's ingest, wired as the daemon does: Nest, the batch server, one transaction per batch. */
export const ingest: Contestant = (input) => playAll(input, native);

/** The same of a JSON source that has a map. */
export const mappedIngest: Contestant = (input) => playAll(input, mapped);

const playAll = (input: RoundInput, reads: Reads): Promise<RoundFigures> => {
  const limits = { records: input.kafka?.records ?? 0, secondsMax: input.secondsMax };
  return play(input, (statements) => new FirstToLast(limits, statements), reads);
};

/** One of several of a group: notes its commits, and ends when they have recorded everything together. */
export const ingestShare: Contestant = (input) => play(input, (statements) => new CommitLog(input, statements));
