import type { MicroserviceOptions } from '@nestjs/microservices';
import { Test } from '@nestjs/testing';
import type { DataSource } from 'typeorm';

import type { IngestKeys } from '#intents';
import { MemberKeys } from '#intents';
import { KafkaDriver } from '#kafka';
import { createDataSource, Keyring, LocalWake, SystemClock, SystemRandom, TypeormDatabase } from '#platform';

import { EventsModule, Ingest, IngestModule } from '../ingest.module.js';
import type { IngestKafkaSettings, IngestSettings } from '../ingest.module.js';
import { testPrograms } from './events.js';
import { recordingLogger, recordingMetrics } from './fakes.js';

/** Keys that all processes of one spec share, as replicas do. */
export interface SharedKeys {
  readonly keyring: Keyring;
  readonly mac: Uint8Array;
  readonly quarantine: Uint8Array;
}

export function sharedKeys(): SharedKeys {
  const random = new SystemRandom();
  return { keyring: new Keyring([random.bytes(32)]), mac: random.bytes(32), quarantine: random.bytes(32) };
}

export async function openDatabase(
  url: string,
  poolSize = 6,
): Promise<{ database: TypeormDatabase; source: DataSource }> {
  const onPoolError = (): void => undefined;
  const settings = { url, poolSize, ssl: false as const, applicationName: 'ingest-spec', migrations: [], onPoolError };
  const source = createDataSource(settings);
  await source.initialize();
  return { database: new TypeormDatabase(source), source };
}

export interface FixtureOptions {
  readonly databaseUrl: string;
  readonly keys: SharedKeys;
  readonly kafka: Partial<IngestKafkaSettings> & Pick<IngestKafkaSettings, 'connection' | 'groupId' | 'topics'>;
  readonly settings?: Partial<IngestSettings>;
  /** Instead of the one of this build. */
  readonly driver?: KafkaDriver;
}

/** One running ingest, as a daemon runs it: a Nest microservice of its own on a real database and broker. */
export class IngestFixture {
  private constructor(
    readonly settings: IngestSettings,
    readonly ingest: Ingest,
    private readonly closing: () => Promise<void>,
  ) {}

  static async start(options: FixtureOptions): Promise<IngestFixture> {
    const { database, source } = await openDatabase(options.databaseUrl);
    const settings = settingsOf(options, database);
    const builder = Test.createTestingModule({ imports: [EventsModule.forRoot(IngestModule.forRoot(settings))] });
    if (options.driver !== undefined) builder.overrideProvider(KafkaDriver).useValue(options.driver);
    const moduleRef = await builder.compile();
    const service = moduleRef.createNestMicroservice<MicroserviceOptions>({
      strategy: moduleRef.get(Ingest).server,
    });
    await service.listen();
    return new IngestFixture(settings, moduleRef.get(Ingest), async () => {
      await service.close();
      await source.destroy();
    });
  }

  stop(): Promise<void> {
    return this.closing();
  }
}

function settingsOf({ keys, kafka, settings }: FixtureOptions, database: TypeormDatabase): IngestSettings {
  const random = new SystemRandom();
  const { keyring, mac, quarantine } = keys;
  const ingestKeys: IngestKeys = { members: new MemberKeys(keyring, random), mac, quarantine, random };
  const programs = testPrograms();
  return {
    kafka: {
      startFrom: { kind: 'earliest' },
      deadLetterTopic: null,
      deadLetterValue: 'original',
      decompressedBytesMax: 64 * 1024 * 1024,
      ...kafka,
    },
    programs: () => programs,
    database,
    keys: ingestKeys,
    clock: new SystemClock(),
    random,
    wake: new LocalWake(),
    logger: recordingLogger().logger,
    metrics: recordingMetrics().metrics,
    ...settings,
  };
}
