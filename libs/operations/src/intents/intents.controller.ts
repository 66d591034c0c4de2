import { Get, Query } from '@nestjs/common';

import type { IntentCountQuery, IntentCountView, IntentDetails, IntentPage, IntentQuery } from '#contracts';
import {
  intentCountQuerySchema,
  intentCountSchema,
  intentDetailsSchema,
  intentIdSchema,
  intentPageSchema,
  intentQuerySchema,
} from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, PathParams, Roles } from '../access/route-rules.js';
import { RawPath, ZodPipe } from '../requests/read-request.js';
import { IntentCounter } from './count-listed.js';
import { filtersOf, IntentService } from './intent-service.js';

/** Lists intents, and shows one with its status and whole timeline. */
@ApiController('intents')
export class IntentsController {
  constructor(
    private readonly intents: IntentService,
    private readonly counter: IntentCounter,
  ) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'Intents', answer: intentPageSchema })
  async list(@Query(new ZodPipe(intentQuerySchema)) query: IntentQuery, @ByActor() actor: Actor): Promise<IntentPage> {
    return this.intents.list(query, actor);
  }

  @Get('count')
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'How many there are', answer: intentCountSchema })
  async count(
    @Query(new ZodPipe(intentCountQuerySchema)) query: IntentCountQuery,
    @ByActor() { programs }: Actor,
  ): Promise<IntentCountView> {
    return this.counter.countFirst(filtersOf(query), programs);
  }

  @Get(':id')
  @Roles('viewer')
  @InPrograms('named')
  @PathParams({ id: intentIdSchema })
  @ApiOperation({ summary: 'One intent with its whole story', answer: intentDetailsSchema })
  async one(@RawPath(-1) id: string, @ByActor() actor: Actor): Promise<IntentDetails> {
    return this.intents.one(id, actor);
  }
}
