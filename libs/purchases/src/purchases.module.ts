import { Controller, type DynamicModule, Module } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';

import { sourcePatterns } from '#events/core';
import { BatchConsumer, type BatchDelivery, kafkaBatchTransport } from '#kafka';

/** Takes the batches of the purchases' topic. They are dispatched record by record, by event type, whatever subject each is of. */
@Controller()
export class PurchasesConsumer {
  constructor(private readonly events: BatchConsumer) {}

  @EventPattern(sourcePatterns.purchases, kafkaBatchTransport)
  consume(@Payload() { batch, lease }: BatchDelivery): Promise<void> {
    return this.events.consume(batch, lease);
  }
}

/** The purchases' topic comes in here; what a sale, a refund and a void are and make us owe stands beside. */
@Module({ controllers: [PurchasesConsumer] })
export class PurchasesModule {
  /** @param events gives `BatchConsumer` */
  static forRoot(events: DynamicModule): DynamicModule {
    return { module: PurchasesModule, imports: [events] };
  }
}
