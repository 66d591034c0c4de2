import { Body, HttpCode, Inject, Post } from '@nestjs/common';
import type { z } from 'zod';

import type { JobView } from '#contracts';
import { reconciliationRequestSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { JobService, requireProgram } from '../jobs/job-service.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { given } from '../partner-reading/listing-filter.js';
import { ZodPipe } from '../requests/read-request.js';

const ok = 200;

/** Holding the partner's passes against ours. */
@ApiController('reconciliations')
export class ReconciliationsController extends JobsController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {
    super(new JobService(settings, 'reconciliation'));
  }

  @Post()
  @HttpCode(ok)
  async create(
    @Body(new ZodPipe(reconciliationRequestSchema)) body: z.output<typeof reconciliationRequestSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    const { id, program, reason, repair, ...filter } = body;
    requireProgram(this.settings.programs(), program, actor);
    return this.jobs.create({ id, program, reason, request: { repair, ...given(filter) } }, actor);
  }
}
