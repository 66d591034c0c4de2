import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';

import type { JobItemsPage, JobLinesPage, JobList, JobRequest, JobView } from '#contracts';
import {
  jobIdSchema,
  jobItemsPageSchema,
  jobItemsQuerySchema,
  jobLinesPageSchema,
  jobLinesQuerySchema,
  jobListQuerySchema,
  jobListSchema,
  jobRequestSchema,
  jobStartSchema,
  jobSteeringSchema,
  jobViewSchema,
} from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import {
  ApiOperation,
  BodyBytesMax,
  InPrograms,
  PathParams,
  recordBodyBytesMax,
  Roles,
} from '../access/route-rules.js';
import type { LinesReader } from './kinds/export/export-reading.js';
import { ByLinesReader } from './kinds/export/export-reading.js';
import { ZodPipe } from '../requests/read-request.js';
import { JobItems, JobLines, JobRequests, JobService } from './job-service.js';

const ok = 200;
/** Every operator may pause it. */
const resumedOrCancelled = 'What an admin has asked for takes an admin.';

/** Work that an operator asks for and that continues by itself. */
@ApiController('jobs')
export class JobsController {
  constructor(
    private readonly jobs: JobService,
    private readonly requests: JobRequests,
    private readonly jobLines: JobLines,
    private readonly jobItems: JobItems,
  ) {}

  @Get()
  @Roles('viewer')
  @InPrograms('filtered')
  @ApiOperation({ summary: 'Jobs', answer: jobListSchema })
  async list(
    @Query(new ZodPipe(jobListQuerySchema)) { kind }: z.output<typeof jobListQuerySchema>,
    @ByActor() actor: Actor,
  ): Promise<JobList> {
    return this.jobs.list(kind, actor);
  }

  @Post()
  @HttpCode(ok)
  @Roles('operator', {
    adminFor:
      'An erasure takes an admin, and so do `force`, `complete` of a list, and an export with personal values, also to read its lines. What takes one for a single intent does so for each of many.',
  })
  @InPrograms('named')
  @BodyBytesMax(recordBodyBytesMax)
  @ApiOperation({ summary: 'Begin a job', answer: jobViewSchema })
  async create(@Body(new ZodPipe(jobRequestSchema)) body: JobRequest, @ByActor() actor: Actor): Promise<JobView> {
    return this.requests.create(body, actor);
  }

  @Get(':id')
  @Roles('viewer')
  @InPrograms('named')
  @PathParams({ id: jobIdSchema })
  @ApiOperation({ summary: 'How far a job is', answer: jobViewSchema })
  async one(@Param('id') id: string, @ByActor() actor: Actor): Promise<JobView> {
    return this.jobs.one(id, actor);
  }

  @Get(':id/lines')
  @Roles('viewer')
  @InPrograms('named')
  @PathParams({ id: jobIdSchema })
  @ApiOperation({ summary: 'What a job found; of an export its lines', answer: jobLinesPageSchema })
  async lines(
    @Param('id') id: string,
    @Query(new ZodPipe(jobLinesQuerySchema)) query: z.output<typeof jobLinesQuerySchema>,
    @ByLinesReader() reader: LinesReader,
  ): Promise<JobLinesPage | string> {
    return this.jobLines.read(id, query, reader);
  }

  @Get(':id/items')
  @Roles('viewer')
  @InPrograms('named')
  @PathParams({ id: jobIdSchema })
  @ApiOperation({ summary: 'What came of each item', answer: jobItemsPageSchema })
  async items(
    @Param('id') id: string,
    @Query(new ZodPipe(jobItemsQuerySchema)) query: z.output<typeof jobItemsQuerySchema>,
    @ByActor() actor: Actor,
  ): Promise<JobItemsPage> {
    return this.jobItems.list(id, query, actor);
  }

  @Post(':id/start')
  @HttpCode(ok)
  @Roles('operator', { adminFor: resumedOrCancelled })
  @InPrograms('named')
  @PathParams({ id: jobIdSchema })
  @ApiOperation({ summary: 'Let a dry run begin', answer: jobViewSchema })
  async start(
    @Param('id') id: string,
    @Body(new ZodPipe(jobStartSchema)) body: z.output<typeof jobStartSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    return this.jobs.start(id, body, actor);
  }

  @Post(':id/pause')
  @HttpCode(ok)
  @Roles('operator')
  @InPrograms('named')
  @PathParams({ id: jobIdSchema })
  @ApiOperation({ summary: 'Pause a job', answer: jobViewSchema })
  async pause(
    @Param('id') id: string,
    @Body(new ZodPipe(jobSteeringSchema)) { reason }: z.output<typeof jobSteeringSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    return this.jobs.steer(id, 'pause', { actor, reason });
  }

  @Post(':id/resume')
  @HttpCode(ok)
  @Roles('operator', { adminFor: resumedOrCancelled })
  @InPrograms('named')
  @PathParams({ id: jobIdSchema })
  @ApiOperation({ summary: 'Resume it', answer: jobViewSchema })
  async resume(
    @Param('id') id: string,
    @Body(new ZodPipe(jobSteeringSchema)) { reason }: z.output<typeof jobSteeringSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    return this.jobs.steer(id, 'resume', { actor, reason });
  }

  @Post(':id/cancel')
  @HttpCode(ok)
  @Roles('operator', { adminFor: resumedOrCancelled })
  @InPrograms('named')
  @PathParams({ id: jobIdSchema })
  @ApiOperation({ summary: 'Do nothing more of it', answer: jobViewSchema })
  async cancel(
    @Param('id') id: string,
    @Body(new ZodPipe(jobSteeringSchema)) { reason }: z.output<typeof jobSteeringSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    return this.jobs.steer(id, 'cancel', { actor, reason });
  }
}
