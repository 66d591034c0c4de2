import { Injectable } from '@nestjs/common';

import type { Logger } from '#platform';

import {
  KafkaDriver,
  type Admin,
  type ConsumerSettings,
  type ConsumerTools,
  type KafkaConnection,
  type Producer,
  type Source,
} from '../../driver.js';
import { inspectionClient, KafkaJsAdmin } from './kafka-admin.js';
import { createKafka } from './kafka-connection.js';
import { connectProducer } from './kafka-producer.js';
import { KafkaSource } from './kafka-source.js';

/** Kafka by KafkaJS 2.2.4, with its faults mended (`kafka-client.ts`) and our own reading of what it fetches. */
@Injectable()
export class KafkaJsDriver extends KafkaDriver {
  override consumer(settings: ConsumerSettings, tools: ConsumerTools): Source {
    return new KafkaSource(settings, tools);
  }

  override producer(connection: KafkaConnection, logger: Logger): Promise<Producer> {
    return connectProducer(createKafka(connection, logger));
  }

  override admin(connection: KafkaConnection, logger: Logger, patience: 'once' | 'usual'): Admin {
    return new KafkaJsAdmin(() => (patience === 'once' ? inspectionClient : createKafka)(connection, logger));
  }
}
