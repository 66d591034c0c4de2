import { Controller, type DynamicModule, Module } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';

import { sourcePatterns } from '#events/core';
import { BatchConsumer, type BatchDelivery, kafkaBatchTransport } from '#kafka';

/** Takes the batches of the members' topic. They are dispatched record by record, by event type, whatever subject each is of. */
@Controller()
export class MembersConsumer {
  constructor(private readonly events: BatchConsumer) {}

  @EventPattern(sourcePatterns.members, kafkaBatchTransport)
  consume(@Payload() { batch, lease }: BatchDelivery): Promise<void> {
    return this.events.consume(batch, lease);
  }
}

/** The members' topic comes in here; what an enrolment, an update and a leaving are and make us owe stands beside. */
@Module({ controllers: [MembersConsumer] })
export class MembersModule {
  /** @param events gives `BatchConsumer` */
  static forRoot(events: DynamicModule): DynamicModule {
    return { module: MembersModule, imports: [events] };
  }
}
