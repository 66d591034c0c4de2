import { Logger as NestLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

import { LocalWake, type Logger } from '#platform';
import type { IngestSettings } from '#events/ingest';
import { EventsModule, Ingest, IngestModule, noIngestMetrics } from '#events/ingest';

import type { BenchStore } from '../bench-parts.js';
import { benchPrograms, CountingDatabase, openStore } from '../bench-parts.js';
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

const settingsOf = ({ kafka, store, database, timing }: IngestParts): IngestSettings => {
  const programs = benchPrograms(1);
  return {
    kafka: {
      connection: () => ({ brokers: kafka.brokers.split(','), clientId: 'loyaltyd-bench' }),
      groupId: kafka.groupId,
      startFrom: { kind: 'earliest' },
      topics: { members: `${kafka.topic}.members`, purchases: kafka.topic, rewards: `${kafka.topic}.rewards` },
      deadLetterTopic: null,
      deadLetterValue: 'none',
      decompressedBytesMax: 64 * 1024 * 1024,
    },
    programs: () => programs,
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
const play = async (input: RoundInput, timingOf: (statements: () => number) => IngestTiming): Promise<RoundFigures> => {
  const { kafka } = input;
  if (kafka === null) throw new Error('ingest needs Kafka');
  const store = await openStore(input.databaseUrl, input.encryptionKey);
  const database = new CountingDatabase(store.database);
  const timing = timingOf(() => database.statements);
  const module = EventsModule.forRoot(IngestModule.forRoot(settingsOf({ kafka, store, database, timing })));
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
export const ingest: Contestant = (input) => {
  const limits = { records: input.kafka?.records ?? 0, secondsMax: input.secondsMax };
  return play(input, (statements) => new FirstToLast(limits, statements));
};

/** One of several of a group: notes its commits, and ends when they have recorded everything together. */
export const ingestShare: Contestant = (input) => play(input, (statements) => new CommitLog(input, statements));
