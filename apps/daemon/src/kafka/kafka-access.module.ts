import { Global, Module } from '@nestjs/common';

import { KafkaDriver, KafkaModule } from '#kafka';

import { Configuration } from '../environment/configuration.module.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';
import { KafkaAccess } from './kafka-access.js';

/** The one way to Kafka of this process, with its token. */
@Global()
@Module({
  imports: [KafkaModule],
  providers: [
    {
      provide: KafkaAccess,
      inject: [KafkaDriver, Configuration, Storage, Platform],
      useFactory: (driver: KafkaDriver, { live }: Configuration, { clock }: Storage, { logger }: Platform) =>
        new KafkaAccess(driver, () => live.current.kafka, { clock, logger }),
    },
  ],
  exports: [KafkaAccess],
})
export class KafkaAccessModule {}
