import { Module } from '@nestjs/common';

import { KafkaDriver } from './driver.js';
import { KafkaJsDriver } from './drivers/kafkajs/kafkajs-driver.js';

/** The driver of this build, for code outside of a Nest application. */
export function createKafkaDriver(): KafkaDriver {
  return new KafkaJsDriver();
}

/** Provides `KafkaDriver`; a test puts its own in its place by `overrideProvider(KafkaDriver)`. */
@Module({ providers: [{ provide: KafkaDriver, useClass: KafkaJsDriver }], exports: [KafkaDriver] })
export class KafkaModule {}
