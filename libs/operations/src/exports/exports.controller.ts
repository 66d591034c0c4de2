import { Body, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';

import type { ExportLinesPage, JobView } from '#contracts';
import { exportLinesQuerySchema, exportRequestSchema } from '#contracts';
import type { ExportExtent, ExportPosition } from '#intents';
import { leaveTrace } from '#intents';

import { Needs } from '../access/needs.js';
import { mayAct } from '../access/operator.js';
import { ApiController } from '../api-controller.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { JobService } from '../jobs/job-service.js';
import type { Job } from '../jobs/job-store.js';
import { SteeredJobsController } from '../jobs/jobs.controller.js';
import type { Actor } from '../requests/actor.js';
import { ByActor, wordOf } from '../requests/actor.js';
import { readRequest, refuseRequest } from '../requests/read-request.js';
import { cursorOf, positionOf } from './export-cursor.js';
import { readExportPage } from './export-pages.js';
import { exportCancelled, notFrozenYet, personalNeedsAdmin } from './export-problems.js';
import type { ExportReader } from './export-reader.js';
import { ByExportReader } from './export-reader.js';
import { requestOf, stateOf } from './export-state.js';

const ok = 200;

function extentOf(job: Job): ExportExtent {
  if (job.state === 'cancelled') throw exportCancelled();
  const state = stateOf(job);
  if (state.kind !== 'counting') throw notFrozenYet();
  return state.extent;
}

function placeOf(cursor: string | undefined, { from }: ExportExtent): ExportPosition | null {
  if (cursor === undefined) return null;
  const position = positionOf(cursor);
  return position === null || position.recordedAt < from ? refuseRequest('cursor: not one of ours') : position;
}

/** What was recorded and what came of it, as lines, in bulk. */
@ApiController('exports')
export class ExportsController extends SteeredJobsController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {
    super(new JobService(settings, 'export'));
  }

  @Post()
  @Needs('operator')
  @HttpCode(ok)
  async create(@Body() body: unknown, @ByActor() actor: Actor): Promise<JobView> {
    const { id, program, reason, from = null, to = null, includePersonal } = readRequest(exportRequestSchema, body);
    if (includePersonal && !mayAct(actor, 'admin')) throw personalNeedsAdmin();
    const request = { from, to, includePersonal };
    return this.jobs.create({ id, program, reason, request, detail: request }, actor);
  }

  @Get(':id/lines')
  async lines(
    @Param('id') id: string,
    @Query() sent: unknown,
    @ByExportReader() reader: ExportReader,
  ): Promise<ExportLinesPage | string> {
    const { cursor, limit } = readRequest(exportLinesQuerySchema, sent);
    const job = await this.jobs.find(id);
    const extent = extentOf(job);
    const after = placeOf(cursor, extent);
    const isMasked = !requestOf(job).includePersonal;
    if (!isMasked) await this.admit(job, reader.actor, cursor);
    const { lines, texts, next } = await readExportPage(this.settings, { extent, after, limit, isMasked });
    const nextCursor = next === null ? null : cursorOf(next);
    if (!reader.wantsText) return { items: [...lines], nextCursor };
    reader.answersText(nextCursor);
    return texts.map((text) => `${text}\n`).join('');
  }

  /** Nothing personal is shown without a trace. */
  private async admit({ jobId, reason }: Job, actor: Actor, cursor: string | undefined): Promise<void> {
    if (!mayAct(actor, 'admin')) throw personalNeedsAdmin();
    const { database, clock } = this.settings;
    const detail = { job: jobId, after: cursor ?? null };
    await leaveTrace(database, { word: wordOf(actor, reason, clock), action: 'export.read', place: null, detail });
  }
}
