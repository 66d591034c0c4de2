import { Global, Module } from '@nestjs/common';

import { createAuditPublisher, createOutcomes } from '#events/ingest';
import { KafkaDriver, KafkaModule } from '#kafka';

import { Configuration } from '../environment/configuration.module.js';
import { FollowerLoops } from '../lifecycle/loops.js';
import { Platform } from '../platform.module.js';
import type { Storage } from '../storage/storage.module.js';
import { STORAGE } from '../storage/storage.module.js';
import { kafkaConnection } from './kafka-connection.js';

/** The publishers of the outcomes topic and of the audit topic. */
function openPublishers(
  { live, programs, environment: { kafka } }: Configuration,
  { database, keys, clock, random }: Storage,
  { logger, metrics, background, wake }: Platform,
  driver: KafkaDriver,
): FollowerLoops {
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
  return new FollowerLoops([outcomes, audit]);
}

const PUBLISHERS = Symbol('Publishers');

/** Publishes what has become of intents and what people did, until nobody in this process adds to it any more. */
@Global()
@Module({
  imports: [KafkaModule],
  providers: [
    { provide: PUBLISHERS, inject: [Configuration, STORAGE, Platform, KafkaDriver], useFactory: openPublishers },
  ],
})
export class PublishingModule {}
