import type { PipeTransform } from '@nestjs/common';
import { Body, Delete, Get, HttpCode, Post } from '@nestjs/common';

import type { PauseList, PauseResult, PauseView } from '#contracts';
import { pauseListSchema, pauseRequestSchema, pauseResultSchema, pauseViewSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { BodyOrQuery, refuseRequest, ZodPipe } from '../requests/read-request.js';
import type { PauseRequest } from './pause-service.js';
import { PauseService } from './pause-service.js';

/** A forgotten body must not pause everything. */
const refuseForgotten: PipeTransform = {
  transform: (body: unknown) => body ?? refuseRequest('name a program, an operation or both; {} is everything'),
};

const ok = 200;

/** Pauses of programs and operations, set by an operator or by delivery itself. */
@ApiController('pauses')
export class PausesController {
  constructor(private readonly pauses: PauseService) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'What is paused', answer: pauseListSchema })
  async list(@ByActor() { programs }: Actor): Promise<PauseList> {
    return this.pauses.list(programs);
  }

  @Post()
  @HttpCode(ok)
  @Roles('operator')
  @InPrograms('named')
  @ApiOperation({ summary: 'Pause', answer: pauseResultSchema })
  async pause(
    @Body(refuseForgotten, new ZodPipe(pauseRequestSchema)) asked: PauseRequest,
    @ByActor() actor: Actor,
  ): Promise<PauseResult> {
    return this.pauses.pause(asked, actor);
  }

  @Delete()
  @Roles('operator')
  @InPrograms('named')
  @ApiOperation({ summary: 'Lift a pause', answer: pauseViewSchema })
  async resume(
    @BodyOrQuery(new ZodPipe(pauseRequestSchema)) asked: PauseRequest,
    @ByActor() actor: Actor,
  ): Promise<PauseView> {
    return this.pauses.resume(asked, actor);
  }
}
