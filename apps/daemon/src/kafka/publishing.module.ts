import { Global, Injectable, Module } from '@nestjs/common';

import { createAuditPublisher, createOutcomes } from '#events/ingest';
import { KafkaDriver, KafkaModule } from '#kafka';
import type { BackgroundLoop } from '#platform';

import { Configuration } from '../environment/configuration.module.js';
import { FollowerLoops } from '../lifecycle/loops.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';
import { kafkaConnection } from './kafka-connection.js';

function publishers(
  { live, programs, environment: { kafka } }: Configuration,
  { database, keys, clock, random }: Storage,
  { logger, metrics, background, wake }: Platform,
  driver: KafkaDriver,
): BackgroundLoop[] {
  const shared = {
    connection: () => {
      if (kafka === null) throw new Error('Kafka must be configured');
      return kafkaConnection(kafka, () => live.current.kafka ?? kafka);
    },
    ...{ driver, database, keys: keys.members, clock, random, logger, wake },
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
  constructor(configuration: Configuration, storage: Storage, platform: Platform, driver: KafkaDriver) {
    super(publishers(configuration, storage, platform, driver));
  }
}

/** Publishes what has become of intents and what people did, until nothing in this process adds to it any more. */
@Global()
@Module({
  imports: [KafkaModule],
  providers: [Publishers],
})
export class PublishingModule {}
