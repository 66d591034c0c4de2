import { Global, Module } from '@nestjs/common';

import { createOutcomes } from '#ingest';

import { Configuration } from '../environment/configuration.module.js';
import { FollowerLoops } from '../lifecycle/loops.js';
import { Platform } from '../platform.module.js';
import type { Storage } from '../storage/storage.module.js';
import { STORAGE } from '../storage/storage.module.js';
import { kafkaConnection } from './kafka-connection.js';

/** The publisher of the outcomes topic. */
function openOutcomes(
  { live, environment: { kafka } }: Configuration,
  { database, keys, clock, random }: Storage,
  { logger, metrics, background, wake }: Platform,
): FollowerLoops {
  const outcomes = createOutcomes({
    connection: () => {
      if (kafka === null) throw new Error('Kafka must be configured');
      return kafkaConnection(kafka, () => live.current.kafka ?? kafka);
    },
    topic: kafka?.topics.outcomes ?? null,
    ...{ database, keys: keys.members, clock, random, logger, wake },
    onPublished: (type, count) => {
      metrics.outcomesPublished(type, count);
    },
  });
  background.watch('outcomes', [outcomes]);
  return new FollowerLoops([outcomes]);
}

const OUTCOMES = Symbol('Outcomes');

/** Publishes what has become of intents, until nobody in this process adds to it any more. */
@Global()
@Module({ providers: [{ provide: OUTCOMES, inject: [Configuration, STORAGE, Platform], useFactory: openOutcomes }] })
export class OutcomesModule {}
