import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';

import type { JobLinesPage, JobList, JobView } from '#contracts';

import { Needs } from '../access/needs.js';
import type { Actor } from '../requests/actor.js';
import { ByActor } from '../requests/actor.js';
import type { JobDesk } from './job-desk.js';

const ok = 200;

/** The routes that every kind of stored job has; how one is begun says each kind for itself. */
export abstract class JobsController {
  constructor(protected readonly desk: JobDesk) {}

  @Get()
  async list(): Promise<JobList> {
    return this.desk.list();
  }

  @Get(':id')
  async one(@Param('id') id: string): Promise<JobView> {
    return this.desk.one(id);
  }

  @Get(':id/lines')
  async lines(@Param('id') id: string, @Query() sent: unknown): Promise<JobLinesPage> {
    return this.desk.lines(id, sent);
  }

  @Post(':id/pause')
  @Needs('operator')
  @HttpCode(ok)
  async pause(@Param('id') id: string, @Body() sent: unknown, @ByActor() actor: Actor): Promise<JobView> {
    return this.desk.steer(id, 'pause', { actor, sent });
  }

  @Post(':id/resume')
  @Needs('operator')
  @HttpCode(ok)
  async resume(@Param('id') id: string, @Body() sent: unknown, @ByActor() actor: Actor): Promise<JobView> {
    return this.desk.steer(id, 'resume', { actor, sent });
  }

  @Post(':id/cancel')
  @Needs('operator')
  @HttpCode(ok)
  async cancel(@Param('id') id: string, @Body() sent: unknown, @ByActor() actor: Actor): Promise<JobView> {
    return this.desk.steer(id, 'cancel', { actor, sent });
  }
}
