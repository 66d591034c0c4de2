import { Get, Param } from '@nestjs/common';

import type { EventStatus } from '#contracts';
import { eventSourceSchema, eventStatusSchema, nameSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Operator, Producer } from '../access/operator.js';
import { ByOperator, ByProducer } from '../access/operator.js';
import { ApiOperation, InPrograms, PathParams, ProducersToo, Roles } from '../access/route-rules.js';
import { EventService } from './event-service.js';

/** What became of what was sent. */
@ApiController('events')
export class EventStatusController {
  constructor(private readonly events: EventService) {}

  @Get(':source/:id')
  @Roles('viewer')
  @ProducersToo()
  @InPrograms('named')
  @PathParams({ source: eventSourceSchema, id: nameSchema })
  @ApiOperation({ summary: 'What became of an event, or of the record with that receipt', answer: eventStatusSchema })
  async status(
    @Param('source') source: string,
    @Param('id') id: string,
    @ByOperator() operator: Operator | null,
    @ByProducer() producer: Producer | null,
  ): Promise<EventStatus> {
    return this.events.status(source, id, { operator, producer });
  }
}
