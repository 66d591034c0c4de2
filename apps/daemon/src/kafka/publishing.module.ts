import { Global, Injectable, Module } from '@nestjs/common';

import { createAuditPublisher, createOutcomes } from '#events/ingest';
import type { BackgroundLoop } from '#platform';

import { Configuration } from '../environment/configuration.module.js';
import { FollowerLoops } from '../lifecycle/loops.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';
import { KafkaAccess } from './kafka-access.js';

function publishers(
  { programs, environment: { kafka } }: Configuration,
  { database, keys, clock, random }: Storage,
  { logger, metrics, background, wake }: Platform,
  access: KafkaAccess,
): BackgroundLoop[] {
  const shared = {
    connection: () => access.connection(),
    ...{ driver: access.driver, database, keys: keys.members, clock, random, logger, wake },
  };
  const outcomes = createOutcomes({
    ...shared,
    topic: kafka?.topics.outcomes ?? null,
    onPublished: (type, count) => {
      metrics.outcomesPublished(type, count);
    },
  });
  const audit = createAuditPublisher({
    ...shared,
    topic: kafka?.topics.audit ?? null,
    isProgram: (name) => Object.hasOwn(programs.current.file.programs, name),
  });
  background.watch('outcomes', [outcomes]);
  background.watch('audit', [audit]);
  return [outcomes, audit];
}

/** The publishers of the outcomes topic and of the audit topic. */
@Injectable()
class Publishers extends FollowerLoops {
  constructor(configuration: Configuration, storage: Storage, platform: Platform, access: KafkaAccess) {
    super(publishers(configuration, storage, platform, access));
  }
}

/** Publishes what has become of intents and what people did, until nothing in this process adds to it any more. */
@Global()
@Module({
  providers: [Publishers],
})
export class PublishingModule {}
