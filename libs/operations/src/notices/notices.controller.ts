import { Body, Get, HttpCode, Post } from '@nestjs/common';

import type { NoticesView, NoticeTrial, NoticeTrialResult } from '#contracts';
import { noticesViewSchema, noticeTrialResultSchema, noticeTrialSchema } from '#contracts';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { ByActor } from '../access/operator.js';
import { ApiOperation, Roles } from '../access/route-rules.js';
import { ZodPipe } from '../requests/read-request.js';
import { NoticeService } from './notice-service.js';

const ok = 200;

/** Who is told without looking, of what, and whether it arrives. */
@ApiController('notices')
export class NoticesController {
  constructor(private readonly notices: NoticeService) {}

  @Get()
  @Roles('viewer')
  @ApiOperation({ summary: 'What is told to whom, and what came of the last notices', answer: noticesViewSchema })
  async list(): Promise<NoticesView> {
    return this.notices.list();
  }

  @Post('trial')
  @HttpCode(ok)
  @Roles('operator')
  @ApiOperation({ summary: 'Send a notice that only shows that notices arrive', answer: noticeTrialResultSchema })
  async try(
    @Body(new ZodPipe(noticeTrialSchema)) body: NoticeTrial,
    @ByActor() actor: Actor,
  ): Promise<NoticeTrialResult> {
    return this.notices.try(body, actor);
  }
}
