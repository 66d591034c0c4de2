import { Body, HttpCode, Inject, Post } from '@nestjs/common';
import type { z } from 'zod';

import type { JobView } from '#contracts';
import { erasureRequestSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor, programMeant } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { JobService } from '../jobs/job-service.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { findMember } from '../members/member-store.js';
import { noSuchMember } from '../members/members.controller.js';
import { ZodPipe } from '../requests/read-request.js';

const ok = 200;

/** Erases a member at an operator's request. */
@ApiController('erasures')
export class ErasuresController extends JobsController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {
    super(new JobService(settings, 'erasure'));
  }

  @Post()
  @HttpCode(ok)
  async create(
    @Body(new ZodPipe(erasureRequestSchema)) body: z.output<typeof erasureRequestSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    const { id, program, memberId, reason } = body;
    programMeant(actor.programs, program);
    const member = await findMember(this.settings.database, { program, memberId });
    if (member === null) throw noSuchMember();
    return this.jobs.create({ id, program, reason, request: { memberId } }, actor);
  }
}
