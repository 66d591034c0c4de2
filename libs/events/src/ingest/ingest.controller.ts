import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';

import type { Subject } from '#events/core';
import { type BatchDelivery, kafkaBatchTransport } from '#kafka';

import { Ingest } from './ingest.js';

/** The handlers' patterns; which topic feeds which is a setting. */
export const sourcePatterns = {
  members: 'source.members',
  purchases: 'source.purchases',
  rewards: 'source.rewards',
} as const satisfies Readonly<Record<Subject, string>>;

/** One handler per topic, named by the subject of most of its events. A batch is dispatched record by record, by event type. */
@Controller()
export class IngestController {
  constructor(private readonly ingest: Ingest) {}

  @EventPattern(sourcePatterns.members, kafkaBatchTransport)
  members(@Payload() { batch, lease }: BatchDelivery): Promise<void> {
    return this.ingest.batcher.consume(batch, lease);
  }

  @EventPattern(sourcePatterns.purchases, kafkaBatchTransport)
  purchases(@Payload() { batch, lease }: BatchDelivery): Promise<void> {
    return this.ingest.batcher.consume(batch, lease);
  }

  @EventPattern(sourcePatterns.rewards, kafkaBatchTransport)
  rewards(@Payload() { batch, lease }: BatchDelivery): Promise<void> {
    return this.ingest.batcher.consume(batch, lease);
  }
}
