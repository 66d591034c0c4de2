import { Get, Query } from '@nestjs/common';
import type { z } from 'zod';

import type {
  DoubtfulCalls,
  IntentCountQuery,
  IntentCountView,
  IntentDetails,
  IntentPage,
  IntentQuery,
} from '#contracts';
import {
  doubtfulCallsSchema,
  intentCountQuerySchema,
  intentCountSchema,
  intentDetailsSchema,
  intentIdSchema,
  intentPageSchema,
  intentQuerySchema,
  replayQuerySchema,
} from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, PathParams, Roles } from '../access/route-rules.js';
import { selectedBy } from '../jobs/kinds/replay/replay-order.js';
import { DoubtfulCallRepository } from '../jobs/kinds/settle/doubtful-calls.js';
import { csvOf } from '../jobs/kinds/settle/partner-list.js';
import { refuseTooMany } from '../jobs/kinds/settle/settle-order.js';
import { RawPath, ZodPipe } from '../requests/read-request.js';
import { IntentCounter } from './count-listed.js';
import { filtersOf, IntentService } from './intent-service.js';

/** Lists intents, and shows one with its status and whole timeline. */
@ApiController('intents')
export class IntentsController {
  constructor(
    private readonly intents: IntentService,
    private readonly counter: IntentCounter,
    private readonly doubtful: DoubtfulCallRepository,
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

  @Get('in-doubt')
  @Roles('viewer')
  @InPrograms('named')
  @ApiOperation({ summary: 'What the partner is asked about, as a list for them', answer: doubtfulCallsSchema })
  async inDoubt(
    @Query(new ZodPipe(replayQuerySchema)) query: z.output<typeof replayQuerySchema>,
    @ByActor() actor: Actor,
  ): Promise<DoubtfulCalls> {
    const items = await this.doubtful.list(selectedBy(query, actor).query).catch(refuseTooMany);
    return { items, csv: csvOf(items) };
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
