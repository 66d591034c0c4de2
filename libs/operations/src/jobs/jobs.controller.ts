import { Body, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';

import type { JobItemsPage, JobLinesPage, JobList, JobRequest, JobView } from '#contracts';
import {
  jobItemsQuerySchema,
  jobLinesQuerySchema,
  jobListQuerySchema,
  jobRequestSchema,
  jobStartSchema,
  jobSteeringSchema,
} from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import type { LinesReader } from '../exports/export-reading.js';
import { ByLinesReader } from '../exports/export-reading.js';
import { ZodPipe } from '../requests/read-request.js';
import { JobService } from './job-service.js';

const ok = 200;

/** Work that is asked for, and goes on by itself. */
@ApiController('jobs')
export class JobsController {
  constructor(@Inject(JobService) private readonly jobs: JobService) {}

  @Get()
  async list(
    @Query(new ZodPipe(jobListQuerySchema)) { kind }: z.output<typeof jobListQuerySchema>,
    @ByActor() actor: Actor,
  ): Promise<JobList> {
    return this.jobs.list(kind, actor);
  }

  @Post()
  @HttpCode(ok)
  async create(@Body(new ZodPipe(jobRequestSchema)) body: JobRequest, @ByActor() actor: Actor): Promise<JobView> {
    return this.jobs.create(body, actor);
  }

  @Get(':id')
  async one(@Param('id') id: string, @ByActor() actor: Actor): Promise<JobView> {
    return this.jobs.one(id, actor);
  }

  @Get(':id/lines')
  async lines(
    @Param('id') id: string,
    @Query(new ZodPipe(jobLinesQuerySchema)) query: z.output<typeof jobLinesQuerySchema>,
    @ByLinesReader() reader: LinesReader,
  ): Promise<JobLinesPage | string> {
    return this.jobs.lines(id, query, reader);
  }

  @Get(':id/items')
  async items(
    @Param('id') id: string,
    @Query(new ZodPipe(jobItemsQuerySchema)) query: z.output<typeof jobItemsQuerySchema>,
    @ByActor() actor: Actor,
  ): Promise<JobItemsPage> {
    return this.jobs.items(id, query, actor);
  }

  @Post(':id/start')
  @HttpCode(ok)
  async start(
    @Param('id') id: string,
    @Body(new ZodPipe(jobStartSchema)) body: z.output<typeof jobStartSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    return this.jobs.start(id, body, actor);
  }

  @Post(':id/pause')
  @HttpCode(ok)
  async pause(
    @Param('id') id: string,
    @Body(new ZodPipe(jobSteeringSchema)) { reason }: z.output<typeof jobSteeringSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    return this.jobs.steer(id, 'pause', { actor, reason });
  }

  @Post(':id/resume')
  @HttpCode(ok)
  async resume(
    @Param('id') id: string,
    @Body(new ZodPipe(jobSteeringSchema)) { reason }: z.output<typeof jobSteeringSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    return this.jobs.steer(id, 'resume', { actor, reason });
  }

  @Post(':id/cancel')
  @HttpCode(ok)
  async cancel(
    @Param('id') id: string,
    @Body(new ZodPipe(jobSteeringSchema)) { reason }: z.output<typeof jobSteeringSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    return this.jobs.steer(id, 'cancel', { actor, reason });
  }
}
