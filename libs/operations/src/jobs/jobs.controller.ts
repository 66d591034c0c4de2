import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';

import type { JobLinesPage, JobList, JobView } from '#contracts';
import { jobLinesQuerySchema, jobSteeringSchema } from '#contracts';

import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ZodPipe } from '../requests/read-request.js';
import type { JobService } from './job-service.js';

const ok = 200;

/** The routes that every kind of stored job has; how one is begun and what it found says each kind for itself. */
export abstract class SteeredJobsController {
  constructor(protected readonly jobs: JobService) {}

  @Get()
  async list(@ByActor() actor: Actor): Promise<JobList> {
    return this.jobs.list(actor);
  }

  @Get(':id')
  async one(@Param('id') id: string, @ByActor() actor: Actor): Promise<JobView> {
    return this.jobs.one(id, actor);
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

/** Where what a job found is kept as its lines. */
export abstract class JobsController extends SteeredJobsController {
  @Get(':id/lines')
  async lines(
    @Param('id') id: string,
    @Query(new ZodPipe(jobLinesQuerySchema)) query: z.output<typeof jobLinesQuerySchema>,
    @ByActor() actor: Actor,
  ): Promise<JobLinesPage> {
    return this.jobs.lines(id, query, actor);
  }
}
