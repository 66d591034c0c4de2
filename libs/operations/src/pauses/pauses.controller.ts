import type { PipeTransform } from '@nestjs/common';
import { Body, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';

import type { PauseList, PauseResult, ResumeResult, WaitingView } from '#contracts';
import {
  pauseListSchema,
  pauseRequestSchema,
  pauseResultSchema,
  resumeRequestSchema,
  resumeResultSchema,
  waitingQuerySchema,
  waitingViewSchema,
} from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, InPrograms, Roles } from '../access/route-rules.js';
import { BodyOrQuery, refuseRequest, ZodPipe } from '../requests/read-request.js';
import type { PauseRequest, ResumeRequest, WaitingQuery } from './pause-service.js';
import { PauseService } from './pause-service.js';

/** A forgotten body must not pause everything. */
const refuseForgotten: PipeTransform = {
  transform: (body: unknown) => body ?? refuseRequest('name a program, an operation or both; {} is everything'),
};

const ok = 200;

/** Pauses of programs, operations and factors, set by an operator or by delivery itself. */
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

  @Get('waiting')
  @Roles('viewer')
  @InPrograms('named')
  @ApiOperation({ summary: 'What a pause holds, by what it has in common', answer: waitingViewSchema })
  async waiting(
    @Query(new ZodPipe(waitingQuerySchema)) asked: WaitingQuery,
    @ByActor() actor: Actor,
  ): Promise<WaitingView> {
    return this.pauses.whatWaits(asked, actor);
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
  @ApiOperation({ summary: 'Lift a pause, all of it or all but some', answer: resumeResultSchema })
  async resume(
    @BodyOrQuery(new ZodPipe(resumeRequestSchema)) asked: ResumeRequest,
    @ByActor() actor: Actor,
  ): Promise<ResumeResult> {
    return this.pauses.resume(asked, actor);
  }
}
