import { Body, Get, HttpCode, Post } from '@nestjs/common';

import type { ProgramsStatus, ReloadRequest, ReloadResult } from '#contracts';
import { programsStatusSchema, reloadRequestSchema, reloadResultSchema } from '#contracts';

import { ReloadService } from './reload-service.js';
import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, Roles } from '../access/route-rules.js';
import { ZodPipe } from '../requests/read-request.js';

const ok = 200;

/** Reading the programs file again, in this process and in all others. */
@ApiController('reload')
export class ReloadController {
  constructor(private readonly reloads: ReloadService) {}

  @Get()
  @Roles('viewer')
  @ApiOperation({ summary: 'Which programs file each process works by', answer: programsStatusSchema })
  async status(): Promise<ProgramsStatus> {
    return this.reloads.status();
  }

  @Post()
  @HttpCode(ok)
  @Roles('operator')
  @ApiOperation({ summary: 'Read the programs file again, everywhere', answer: reloadResultSchema })
  async reload(
    @Body(new ZodPipe(reloadRequestSchema)) body: ReloadRequest,
    @ByActor() actor: Actor,
  ): Promise<ReloadResult> {
    return this.reloads.reload(body, actor);
  }
}
