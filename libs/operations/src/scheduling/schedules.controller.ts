import { Body, HttpCode, Inject, Post } from '@nestjs/common';
import type { z } from 'zod';

import type { JobView } from '#contracts';
import { scheduleRequestSchema } from '#contracts';
import { judgeScheduleTime } from '#gateway';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { JobService, requireProgram } from '../jobs/job-service.js';
import { JobsController } from '../jobs/jobs.controller.js';
import { given } from '../partner-reading/listing-filter.js';
import { refuseRequest, ZodPipe } from '../requests/read-request.js';
import { scheduleTimeOf } from './schedule-work.js';

const ok = 200;

/** Changes of passes at a chosen time (partner-api.md 4.4), of one member's or of all that fit. */
@ApiController('schedules')
export class SchedulesController extends JobsController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {
    super(new JobService(settings, 'schedule'));
  }

  @Post()
  @HttpCode(ok)
  async create(
    @Body(new ZodPipe(scheduleRequestSchema)) body: z.output<typeof scheduleRequestSchema>,
    @ByActor() actor: Actor,
  ): Promise<JobView> {
    const { id, program, reason, at, select, change, ...rest } = body;
    requireProgram(this.settings.programs(), program, actor);
    const judged = judgeScheduleTime(scheduleTimeOf(at), this.settings.clock.now());
    if (judged.kind === 'refused') refuseRequest(`at: ${judged.rule}`);
    if (select.memberId !== undefined && change?.message !== undefined) {
      refuseRequest('change.message: to one member it is personal, and would be kept in the clear; send an event');
    }
    const changed = change === undefined ? {} : { change: given(change) };
    const request = { ...given(rest), at, select: given(select), ...changed };
    return this.jobs.create({ id, program, reason, request, detail: { dryRun: body.dryRun } }, actor);
  }
}
