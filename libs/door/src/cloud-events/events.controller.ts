import { Body, Headers, HttpCode, Post, Query, UseGuards } from '@nestjs/common';
import { z } from 'zod';

import type { Accepted } from '#contracts';
import { acceptedSchema } from '#contracts';
import type { Producer } from '#operations';
import {
  AccessGuard,
  ApiController,
  ApiOperation,
  BodyBytesMax,
  ByProducer,
  httpProblem,
  Producers,
  ZodPipe,
} from '#operations';

import { doorBodyBytesMax, rawBody } from '../raw-body.js';
import { EventsService } from './events.service.js';
import type { HttpRequest } from './read-http-event.js';

const accepted = 202;

const querySchema = z.object({ source: z.string().min(1).max(256).optional() });

/** CloudEvents by HTTP, for shops without Kafka. */
@ApiController('events')
@UseGuards(AccessGuard)
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Post()
  @HttpCode(accepted)
  @Producers()
  @BodyBytesMax(doorBodyBytesMax)
  @ApiOperation({
    summary: 'Write CloudEvents into the topic of their source: structured, binary or a batch',
    answer: acceptedSchema,
    status: accepted,
  })
  async write(
    @Headers() headers: HttpRequest['headers'],
    @Body() body: unknown,
    @Query(new ZodPipe(querySchema)) { source }: z.output<typeof querySchema>,
    @ByProducer() producer: Producer | null,
  ): Promise<Accepted> {
    // The guard lets nobody else in.
    if (producer === null) throw httpProblem(404);
    return this.events.accept({ headers, body: rawBody(body) }, { producer, named: source });
  }
}
