import { Controller, type DynamicModule, Module } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';

import { sourcePatterns } from '#events/core';
import { BatchConsumer, type BatchDelivery, kafkaBatchTransport } from '#kafka';

/** Takes the batches of the rewards' topic. They are dispatched record by record, by event type, whatever subject each is of. */
@Controller()
export class RewardsConsumer {
  constructor(private readonly events: BatchConsumer) {}

  @EventPattern(sourcePatterns.rewards, kafkaBatchTransport)
  consume(@Payload() { batch, lease }: BatchDelivery): Promise<void> {
    return this.events.consume(batch, lease);
  }
}

/** The rewards' topic comes in here; what a grant and a revocation are and make us owe stands beside. */
@Module({ controllers: [RewardsConsumer] })
export class RewardsModule {
  /** @param events gives `BatchConsumer` */
  static forRoot(events: DynamicModule): DynamicModule {
    return { module: RewardsModule, imports: [events] };
  }
}
