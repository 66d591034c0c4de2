import type { DynamicModule } from '@nestjs/common';
import { Injectable, Module } from '@nestjs/common';

import type { Environment } from '#contracts';
import { DECOMPRESSED_BYTES_MAX, DEFAULT_TOPICS } from '#contracts';
import { Partner } from '#gateway';
import { batchUnpacker, recordRouter } from '#events/ingest';
import {
  AccessSettings,
  AskedPartner,
  ConsoleSettings,
  Doctor,
  Intake,
  LoginLinks,
  NoticeSettings,
  OperationsObserver,
  PartnerJobTools,
  PublishedTopics,
  SourceTopics,
  TopicRules,
} from '#operations';
import { keyedDigest } from '#platform';

import { runDoctor } from '../commands/doctor.js';
import { doorSourcesOf } from '../door/door-sources.js';
import { Configuration } from '../environment/configuration.module.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';
import { consoleSettings } from './console-settings.js';
import { SharedDoctor } from './shared-doctor.js';

/** Who may use the operations port. */
export function accessSettings(
  { live, environment: { operations } }: Configuration,
  { clock }: Pick<Storage, 'clock'>,
): AccessSettings {
  const { oidc, readOnly: isReadOnly, metrics, trustedProxies } = operations;
  return {
    tokens: () => live.current.operations.tokens,
    producers: () => live.current.operations.producers,
    ...{ oidc, isReadOnly, metrics, trustedProxies, clock },
  };
}

function intake({ environment, programs, sources }: Configuration): Intake {
  const { kafka, retention } = environment;
  return {
    route: recordRouter(() => programs.current, sources),
    unpack: batchUnpacker(kafka?.decompressedBytesMax ?? DECOMPRESSED_BYTES_MAX),
    hasDeadLetters: retention.hasDeadLetters,
  };
}

/** Identities leave by the day, and the broker's clock may be ahead of ours. */
const memoryMarginDays = 1;
const dayMs = 86_400_000;

/** Since when everything is remembered that tells a record which is read again: identities, and what was set aside. */
function knownSince({ dedupDays, quarantineDays }: Environment['retention'], now: number): number {
  const limits = [dedupDays, quarantineDays].filter((days) => days > 0);
  return limits.length === 0 ? 0 : now - (Math.min(...limits) - memoryMarginDays) * dayMs;
}

function topicRules({ environment, programs, sources }: Configuration): TopicRules {
  const { kafka, retention } = environment;
  const declared = 'source ';
  return {
    isReadable: kafka !== null,
    knownSince: (now) => knownSince(retention, now),
    sourceOf: (topic) => {
      const name = sources.of(programs.current.file).sourceOf(topic)?.authority.name ?? null;
      return name?.startsWith(declared) === true ? name.slice(declared.length) : name;
    },
  };
}

/** Wakes the loops that carry on what was asked for. */
@Injectable()
class ProcessObserver implements OperationsObserver {
  constructor(private readonly platform: Platform) {}

  written(): void {
    this.platform.wake.notify();
    this.platform.actions.notify();
  }

  jobItems(...[state, count]: Parameters<OperationsObserver['jobItems']>): void {
    this.platform.metrics.jobItems(state, count);
  }
}

const providers = [
  { provide: AccessSettings, inject: [Configuration, Storage], useFactory: accessSettings },
  {
    provide: ConsoleSettings,
    inject: [Configuration, Platform, LoginLinks],
    useFactory: (configuration: Configuration, { logger }: Platform, links: LoginLinks | null) =>
      consoleSettings(configuration, logger, links),
  },
  {
    provide: PublishedTopics,
    inject: [Configuration],
    useFactory: ({ environment: { kafka } }: Configuration): PublishedTopics => ({ names: kafka?.topics ?? null }),
  },
  {
    provide: SourceTopics,
    inject: [Configuration],
    useFactory: ({ environment: { kafka }, programs }: Configuration): SourceTopics => ({
      topicOf: (source) =>
        doorSourcesOf(programs.current.file, kafka?.topics ?? DEFAULT_TOPICS).find(({ name }) => name === source)
          ?.topic ?? null,
    }),
  },
  { provide: Intake, inject: [Configuration], useFactory: intake },
  { provide: TopicRules, inject: [Configuration], useFactory: topicRules },
  {
    provide: AskedPartner,
    inject: [Configuration, { token: Partner, optional: true }],
    useFactory: ({ environment: { wallet } }: Configuration, calls: Partner | null = null): AskedPartner => ({
      ...{ calls, timeoutMs: wallet?.timeoutMs ?? 0 },
    }),
  },
  {
    provide: Doctor,
    inject: [Platform],
    // The environment is read again: a secret's file may have gone since the start.
    useFactory: ({ logger }: Platform): Doctor => new SharedDoctor(() => runDoctor(process.env), logger),
  },
  {
    provide: NoticeSettings,
    inject: [Configuration],
    useFactory: ({ live }: Configuration): NoticeSettings => ({ current: () => live.current.notices }),
  },
  { provide: OperationsObserver, useClass: ProcessObserver },
];

/** What the operations API asks of this process, by what its environment says. */
@Module({ providers, exports: providers })
export class OperationsPortsModule {
  /** @param loginLinks null: there are none */
  static forRoot(loginLinks: LoginLinks | null): DynamicModule {
    return { module: OperationsPortsModule, providers: [{ provide: LoginLinks, useValue: loginLinks }] };
  }
}

function partnerJobTools(
  { environment: { wallet }, programs, dialects }: Configuration,
  { database, clock, random, keys }: Storage,
  { logger }: Platform,
  partner: Partner,
): PartnerJobTools {
  return {
    ...{ database, clock, random, logger, dialects, partner, keys: keys.members, mac: keys.mac },
    timeoutMs: wallet?.timeoutMs ?? 0,
    fingerprint: (text) => keyedDigest(keys.mac, text).toString('hex'),
    programs: () => programs.current.file,
  };
}

const partnerTools = {
  provide: PartnerJobTools,
  inject: [Configuration, Storage, Platform, Partner],
  useFactory: partnerJobTools,
};

/** What jobs that ask the partner work with, in a process that has one. */
@Module({ providers: [partnerTools], exports: [partnerTools] })
export class PartnerJobToolsModule {}
