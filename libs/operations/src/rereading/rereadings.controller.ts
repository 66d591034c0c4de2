import { Body, HttpCode, Inject, Post } from '@nestjs/common';
import type { z } from 'zod';

import type { JobView } from '#contracts';
import { rereadingRequestSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { JobService, requireProgram } from '../jobs/job-service.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { ZodPipe } from '../requests/read-request.js';

const ok = 200;

/** Reading the answers of parked intents again, by the dialect of now. */
@ApiController('rereadings')
export class RereadingsController extends JobsController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {
    super(new JobService(settings, 'rereading'));
  }

  @Post()
  @HttpCode(ok)
  async create(
    @Body(new ZodPipe(rereadingRequestSchema)) body: z.output<typeof rereadingRequestSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    const { id, program, reason, dryRun } = body;
    requireProgram(this.settings.programs(), program, actor);
    return this.jobs.create({ id, program, reason, request: { dryRun }, detail: { dryRun } }, actor);
  }
}
