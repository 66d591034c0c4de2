import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';

import { IngestLoop } from '../loop/ingest-loop.js';
import { kafkaBatchTransport, sourcePatterns, type BatchDelivery } from './kafka-batch-server.js';

/** One handler per source; all that differs is the topic. */
@Controller()
export class IngestController {
  constructor(private readonly loop: IngestLoop) {}

  @EventPattern(sourcePatterns.members, kafkaBatchTransport)
  members(@Payload() { batch, lease }: BatchDelivery): Promise<void> {
    return this.loop.consume(batch, lease);
  }

  @EventPattern(sourcePatterns.purchases, kafkaBatchTransport)
  purchases(@Payload() { batch, lease }: BatchDelivery): Promise<void> {
    return this.loop.consume(batch, lease);
  }

  @EventPattern(sourcePatterns.rewards, kafkaBatchTransport)
  rewards(@Payload() { batch, lease }: BatchDelivery): Promise<void> {
    return this.loop.consume(batch, lease);
  }
}
